#pragma once
// Parsing of one command's options: strict (no abbreviations), with errors that name the flag.

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace aqbench::cli {

namespace po = boost::program_options;

using Strings = std::vector<std::string>;

struct CommandLine {
  std::string usage;        // "aqbench eval CLOUD --scene S | --mesh M.ply [OPTION]..."
  std::string description;  // what it does, examples; printed after the usage line
  po::options_description options;
  Strings positional;                    // names of positional arguments in order; each is required
  std::string optional_positional = {};  // one more that may be left out; empty for none
  std::string repeated_positional = {};  // one or more at the end, read with strings(); empty for none
};

// An empty set of options with the page width of the help texts.
po::options_description make_options();

// nullopt: --help was given and printed. Throws Error(usage) for an unknown flag (naming near ones), a
// missing or unwanted value, a value that does not parse, a missing positional argument.
std::optional<po::variables_map> parse(const CommandLine& line, const Arguments& arguments);

// What --help of a command prints.
std::string help_of(const Command& command);

// The value of a repeatable option, empty if absent.
Strings strings(const po::variables_map& values, const char* name);

}  // namespace aqbench::cli
