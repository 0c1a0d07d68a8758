#pragma once
// The option tables of commands, and how a command line is read with them: strict (no abbreviations), with
// errors that name the flag.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "harness/planning/flag_value.h"

namespace aqbench::cli {

// Values of a flag that may be given several times.
using Strings = std::vector<std::string>;

// What --help says of a flag, and how often it may be given.
struct FlagText {
  const char* name;                     // without dashes
  const char* value_name = nullptr;     // nullptr for a flag that takes no value
  const char* help = "";                // one sentence
  const char* default_value = nullptr;  // read where the flag is not given; nullptr for none
  bool value_optional = false;          // the value may be left out and is then empty
  bool repeatable = false;              // it may be given several times; each value is read in turn
};

// A row of a command's option table: the flag, and how its value gets into the command's request. `read`
// throws Error(usage) naming the flag where the value does not fit.
template <class Request>
struct Flag : FlagText {
  std::function<void(Request&, const FlagValue&)> read;
};

// What the usage line says of an argument without a flag.
struct PositionalText {
  const char* name;         // "BUNDLE"
  bool optional = false;    // it may be left out
  bool repeatable = false;  // one or more; the last of a command's
};

// An argument without a flag, and how it gets into the command's request.
template <class Request>
struct Positional : PositionalText {
  std::function<void(Request&, const FlagValue&)> read;
};

// All that a command takes. A request with a member `std::set<std::string> given` gets the names of the flags
// and arguments that the user gave.
template <class Request>
struct CommandLine {
  std::string usage;        // "aqbench eval CLOUD --scene S | --mesh M.ply [OPTION]..."
  std::string description;  // what it does, examples; printed after the usage line
  std::vector<Flag<Request>> flags;
  std::vector<Positional<Request>> positional = {};  // in order
};

// The texts of a CommandLine, without the functions that read values.
struct CommandLineText {
  std::string usage, description;
  std::vector<FlagText> flags;
  std::vector<PositionalText> positional;
};

// The values by name of flag or argument, in the order in which they were given. Defaults are among them.
using GivenValues = std::map<std::string, std::vector<FlagValue>>;

// Returns the values of a command line, or nullopt where --help was given and printed. Throws Error(usage)
// for an unknown flag (naming near ones), a missing or unwanted value, a flag given twice, a missing
// argument.
std::optional<GivenValues> split_arguments(const CommandLineText& line, const Arguments& arguments);

// Returns the request of a command line, or nullopt where --help was given and printed. Throws what
// split_arguments() and the rows of the table throw.
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

// Returns what --help of a command prints.
std::string help_of(const Command& command);

// Returns the option table of a command, --help included. The names and texts of its flags live as long as
// the program.
CommandLineText text_of(const Command& command);

}  // namespace aqbench::cli
