#include "cli/options.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <sstream>

#include "core/error.h"
#include "core/parameters.h"

namespace aqbench::cli {
namespace {

constexpr unsigned kHelpWidth = 100;

// Where help goes instead of stdout while help_of() asks for it.
std::string* help_sink = nullptr;

void print_command_help(const CommandLine& line, const po::options_description& all) {
  std::ostringstream text;
  text << all;
  const std::string help =
      fmt::format("usage: {}\n\n{}\n\noptions:\n{}", line.usage, line.description, text.str());
  if (help_sink != nullptr)
    *help_sink = help;
  else
    fmt::print("{}", help);
}

Strings long_names(const po::options_description& all) {
  Strings names;
  for (const auto& option : all.options()) names.push_back("--" + option->long_name());
  return names;
}

po::variables_map parse_or_throw(const CommandLine& line, const po::options_description& all,
                                 const Arguments& arguments) {
  po::options_description with_positional;
  with_positional.add(all);
  po::positional_options_description positions;
  Strings names = line.positional;
  if (!line.optional_positional.empty()) names.push_back(line.optional_positional);
  for (const std::string& name : names) {
    with_positional.add_options()(name.c_str(), po::value<std::string>());
    positions.add(name.c_str(), 1);
  }
  if (!line.repeated_positional.empty()) {
    with_positional.add_options()(line.repeated_positional.c_str(), po::value<Strings>());
    positions.add(line.repeated_positional.c_str(), -1);
  }
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  po::store(
      po::command_line_parser(arguments).options(with_positional).positional(positions).style(style).run(),
      values);
  po::notify(values);
  return values;
}

}  // namespace

po::options_description make_options() { return po::options_description("", kHelpWidth, kHelpWidth / 2); }

std::optional<po::variables_map> parse(const CommandLine& line, const Arguments& arguments) {
  po::options_description all = line.options;
  all.add_options()("help,h", "show this text and stop");
  try {
    po::variables_map values = parse_or_throw(line, all, arguments);
    if (values.count("help") != 0) {
      print_command_help(line, all);
      return std::nullopt;
    }
    Strings required = line.positional;
    if (!line.repeated_positional.empty()) required.push_back(line.repeated_positional);
    for (const std::string& name : required)
      if (values.count(name) == 0)
        throw Error(ErrorKind::usage, fmt::format("{} is missing; usage: {}", name, line.usage));
    return values;
  } catch (const po::unknown_option& error) {
    throw Error(ErrorKind::usage, unknown_name_message("option", error.get_option_name(), long_names(all)));
  } catch (const po::too_many_positional_options_error&) {
    throw Error(ErrorKind::usage, fmt::format("too many arguments; usage: {}", line.usage));
  } catch (const po::error& error) {
    throw Error(ErrorKind::usage, error.what());
  }
}

std::string help_of(const Command& command) {
  std::string help;
  help_sink = &help;
  try {
    command.run({"--help"});
  } catch (...) {
    help_sink = nullptr;
    throw;
  }
  help_sink = nullptr;
  return help;
}

Strings strings(const po::variables_map& values, const char* name) {
  return values.count(name) != 0 ? values[name].as<Strings>() : Strings{};
}

}  // namespace aqbench::cli
