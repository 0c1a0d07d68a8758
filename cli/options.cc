#include "cli/options.h"

#include <fmt/format.h>

#include "core/shown_json.h"

namespace aqbench::cli {

std::string help_of(const Command& command) { return help_text(line_of(command), true); }

CommandLineText text_of(const Command& command) {
  CommandLineText line = line_of(command);
  line.flags.push_back({.name = "help", .help = kHelp});
  if (!help_tasks(command_of(line)).empty()) line.flags.push_back({.name = "help-all", .help = kHelpAll});
  return line;
}

void print_json(std::string_view text) { fmt::print("{}", shown_json(text)); }

}  // namespace aqbench::cli
