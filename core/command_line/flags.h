#pragma once
// Option tables of commands, and strict parsing of command lines with them (no abbreviations), with errors
// that name the flag.

#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/command_line/flag_value.h"
#include "core/error.h"

namespace aqbench {

using Arguments = std::vector<std::string>;  // arguments after the command's name

// Values of a repeatable flag.
using Strings = std::vector<std::string>;

// A set of modes of a command, one bit each.
using Modes = unsigned;
inline constexpr Modes kEveryMode = ~0U;

// One kind of run of a command with several.
struct ModeText {
  Modes mode;             // its bit
  const char* words;      // of the command line, which choose it: "--depth"
  const char* note = "";  // why it refuses flags of other modes: "runs nothing"
};

// A flag's help, how often it may be given, and where it has a meaning.
struct FlagText {
  const char* name;                     // without dashes
  const char* value_name = nullptr;     // nullptr for a flag without a value; "ray|z": one of these
  const char* help = "";                // one sentence
  const char* default_value = nullptr;  // read if the flag is not given; nullptr for none
  bool value_optional = false;          // the value may be omitted and is then empty
  bool repeatable = false;              // may be given several times; each value is read in turn
  Modes modes = kEveryMode;             // others refuse it
  const char* needs = nullptr;          // flags that must be given as well: "camera,rig|dataset"
  const char* group = nullptr;          // begins a group of the help, with this title
};

// What only some rows of a table have, as in FlagText; the functions add one of it.
struct FlagMore {
  const char* default_value = nullptr;
  const char* needs = nullptr;
  bool repeatable = false;
};
constexpr FlagMore usually(const char* value) { return {.default_value = value}; }
constexpr FlagMore needs(const char* flags, FlagMore more = {}) {
  more.needs = flags;
  return more;
}
constexpr FlagMore repeated() { return {.repeatable = true}; }

// A row of a command's option table: the flag, and how its value is stored in the command's request. `read`
// throws Error(usage) naming the flag for an invalid value. Without it the value is looked up where it is
// used.
template <class Request>
struct Flag : FlagText {
  using Reader = std::function<void(Request&, const FlagValue&)>;
  Reader read;

  Flag(const FlagText& text, Reader reader) : FlagText(text), read(std::move(reader)) {}
  Flag(const char* flag, const char* value, const char* text, Reader reader = {}, const FlagMore& more = {})
      : Flag(flag, value, kEveryMode, text, std::move(reader), more) {}
  Flag(const char* flag, const char* value, Modes of, const char* text, Reader reader = {},
       const FlagMore& more = {})
      : FlagText{.name = flag,
                 .value_name = value,
                 .help = text,
                 .default_value = more.default_value,
                 .repeatable = more.repeatable,
                 .modes = of,
                 .needs = more.needs},
        read(std::move(reader)) {}
};

// An argument without a flag in the usage line.
struct PositionalText {
  const char* name;         // "BUNDLE"
  bool optional = false;    // may be omitted
  bool repeatable = false;  // one or more; only the last argument of a command
  Modes modes = kEveryMode;
};

// An argument without a flag, and how it is stored in the command's request.
template <class Request>
struct Positional : PositionalText {
  std::function<void(Request&, const FlagValue&)> read;
};

// All options of a command. A request with a member `GivenValues given` receives the values that the user
// gave, without defaults. A command with several modes has a table of them and a function that returns the
// one of a request, whose member `mode` receives it.
template <class Request>
struct CommandLine {
  std::string usage;        // "aqbench eval CLOUD --scene S | --mesh M.ply [OPTION]..."
  std::string description;  // its effect, examples; printed after the usage line
  std::vector<Flag<Request>> flags;
  std::vector<Positional<Request>> positional = {};  // in order
  std::span<const ModeText> modes = {};
  Modes (*mode_of)(const Request&) = nullptr;  // throws Error(usage) where none or several are chosen
};

// The texts of a CommandLine, without the functions that read values.
struct CommandLineText {
  std::string usage, description;
  std::vector<FlagText> flags;
  std::vector<PositionalText> positional;
  std::span<const ModeText> modes = {};
};

// Thrown for --help and --help-all.
struct HelpWanted {
  std::string text;  // what is printed
  CommandLineText line;
};

// An option that a command does not have.
struct UnknownOption : Error {
  UnknownOption(const std::string& message, std::string_view of, std::string name)
      : Error(ErrorKind::usage, message), command(of), option(std::move(name)) {}

  std::string command, option;  // "eval", "--suite"
};

// What a reader wants to do with a command of many flags, and the flags for it that --help shows, separated
// by commas. --help-all shows every flag.
struct HelpTask {
  const char *title, *flags;
};
// Returns the tasks of a command; none where --help shows every flag.
std::span<const HelpTask> help_tasks(std::string_view command);

// Returns the help of a command; `whole`: with every flag, also where it is shown by task.
std::string help_text(const CommandLineText& line, bool whole);

// Returns the command of a line: "eval".
std::string_view command_of(const CommandLineText& line);

// The help of --help and --help-all.
inline constexpr const char *kHelp = "print this help and exit", *kHelpAll = "print all options and exit";

// The values by name of flag or argument, in the order given, including defaults.
using GivenValues = std::map<std::string, std::vector<FlagValue>>;

// Returns the values of a command line. Throws UnknownOption (suggesting similar ones), Error(usage) for a
// missing or unexpected value, a repeated flag, a missing argument; and HelpWanted.
GivenValues split_arguments(const CommandLineText& line, const Arguments& arguments);

// Throws Error(usage) for a given flag or argument that has no meaning in the mode, and for a flag without
// those that it needs.
void check_given(const CommandLineText& line, const GivenValues& given, Modes mode);

// Returns `chosen` if it is one mode. Throws Error(usage) naming those that were chosen, or all where none
// was.
Modes only_mode(std::span<const ModeText> modes, Modes chosen);

// Returns the request of a command line. Throws the errors of split_arguments(), check_given() and the rows
// of the table.
template <class Request>
Request parse(const CommandLine<Request>& line, const Arguments& arguments) {
  const CommandLineText text = {line.usage,
                                line.description,
                                {line.flags.begin(), line.flags.end()},
                                {line.positional.begin(), line.positional.end()},
                                line.modes};
  GivenValues values = split_arguments(text, arguments);
  Request request{};
  GivenValues given;
  const auto read = [&](const auto& row) {
    for (const FlagValue& value : values[row.name]) {
      if (row.read) row.read(request, value);
      if (!value.defaulted) given[row.name].push_back(value);
    }
  };
  for (const auto& row : line.positional) read(row);
  for (const auto& row : line.flags) read(row);
  if constexpr (requires { request.given; }) request.given = given;
  const Modes mode = line.mode_of == nullptr ? kEveryMode : line.mode_of(request);
  if constexpr (requires { request.mode; }) request.mode = mode;
  check_given(text, given, mode);
  return request;
}

// Adds rows for a part of a request to the table of the whole, whose member `part` it is.
template <class Request, class Part>
void append_flags(std::vector<Flag<Request>>& flags, std::span<const Flag<Part>> rows, Part Request::*part) {
  for (const Flag<Part>& row : rows)
    flags.push_back({row, [read = row.read, part](Request& request, const FlagValue& value) {
                       read(request.*part, value);
                     }});
}

// Adds rows as a group of the help.
template <class Request, class Rows>
void append_group(std::vector<Flag<Request>>& flags, const char* title, const Rows& rows) {
  const std::size_t first = flags.size();
  flags.insert(flags.end(), std::begin(rows), std::end(rows));
  flags[first].group = title;
}

}  // namespace aqbench
