#pragma once
// Option tables of commands, and strict parsing of command lines with them (no abbreviations), with errors
// that name the flag.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "harness/planning/flag_value.h"

namespace aqbench::cli {

// Values of a repeatable flag.
using Strings = std::vector<std::string>;

// A flag's help, and how often it may be given.
struct FlagText {
  const char* name;                     // without dashes
  const char* value_name = nullptr;     // nullptr for a flag without a value
  const char* help = "";                // one sentence
  const char* default_value = nullptr;  // read if the flag is not given; nullptr for none
  bool value_optional = false;          // the value may be omitted and is then empty
  bool repeatable = false;              // may be given several times; each value is read in turn
};

// A row of a command's option table: the flag, and how its value is stored in the command's request. `read`
// throws Error(usage) naming the flag for an invalid value.
template <class Request>
struct Flag : FlagText {
  std::function<void(Request&, const FlagValue&)> read;
};

// An argument without a flag in the usage line.
struct PositionalText {
  const char* name;         // "BUNDLE"
  bool optional = false;    // may be omitted
  bool repeatable = false;  // one or more; only the last argument of a command
};

// An argument without a flag, and how it is stored in the command's request.
template <class Request>
struct Positional : PositionalText {
  std::function<void(Request&, const FlagValue&)> read;
};

// All options of a command. A request with a member `std::set<std::string> given` receives the names of the
// flags and arguments given by the user.
template <class Request>
struct CommandLine {
  std::string usage;        // "aqbench eval CLOUD --scene S | --mesh M.ply [OPTION]..."
  std::string description;  // its effect, examples; printed after the usage line
  std::vector<Flag<Request>> flags;
  std::vector<Positional<Request>> positional = {};  // in order
};

// The texts of a CommandLine, without the functions that read values.
struct CommandLineText {
  std::string usage, description;
  std::vector<FlagText> flags;
  std::vector<PositionalText> positional;
};

// The values by name of flag or argument, in the order given, including defaults.
using GivenValues = std::map<std::string, std::vector<FlagValue>>;

// Returns the values of a command line, or nullopt if --help was given and printed. Throws Error(usage) for
// an unknown flag (suggesting similar ones), a missing or unexpected value, a repeated flag, a missing
// argument.
std::optional<GivenValues> split_arguments(const CommandLineText& line, const Arguments& arguments);

// Returns the request of a command line, or nullopt if --help was given and printed. Throws the errors of
// split_arguments() and the rows of the table.
template <class Request>
std::optional<Request> parse(const CommandLine<Request>& line, const Arguments& arguments) {
  auto values = split_arguments({line.usage,
                                 line.description,
                                 {line.flags.begin(), line.flags.end()},
                                 {line.positional.begin(), line.positional.end()}},
                                arguments);
  if (!values) return std::nullopt;
  Request request{};
  const auto read = [&](const auto& row) {
    for (const FlagValue& value : (*values)[row.name]) {
      row.read(request, value);
      if constexpr (requires { request.given; })
        if (!value.defaulted) request.given.insert(row.name);
    }
  };
  for (const auto& row : line.positional) read(row);
  for (const auto& row : line.flags) read(row);
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

// Returns the --help text of a command.
std::string help_of(const Command& command);

// Returns the option table of a command, including --help. The names and texts of its flags live as long as
// the program.
CommandLineText text_of(const Command& command);

// Prints a JSON text. Control characters that JSON allows unescaped (U+007F to U+009F) are written as \u00XX,
// so that they cannot steer a terminal.
void print_json(std::string_view text);

}  // namespace aqbench::cli
