#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/shell/manual.h"
#include "core/error.h"
#include "core/files.h"
#include "core/parameters.h"
#include "harness/measuring/build_info.h"

namespace aqbench::cli {
namespace {

struct ManRequest {
  std::optional<std::string> command;
  std::optional<std::filesystem::path> out;
};

CommandLine<ManRequest> man_command_line() {
  return {
      "aqbench man [COMMAND] [--out DIR]",
      "Prints the manual page of the program or of a command, for `man -l -`. With --out: writes the pages\n"
      "of all commands into a folder, created if missing: aqbench.1, aqbench-sweep.1, ...",
      {{{.name = "out", .value_name = "DIR", .help = "write all pages into this folder"},
        into<&ManRequest::out>}},
      {{{.name = "command", .optional = true}, into<&ManRequest::command>}}};
}

void write_manuals(const std::filesystem::path& folder, const std::string& version) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(ErrorKind::io, fmt::format("{}: {}", folder.string(), failed.message()));
  for (const auto& [name, text] : all_manuals(version)) write_file(folder / name, text);
}

std::string manual_of(const std::string& name, const std::string& version) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command_manual(command, version);
    names.emplace_back(command.name);
  }
  throw Error(ErrorKind::usage, unknown_name_message("command", name, names));
}

}  // namespace

ExitCode man_command(const Arguments& arguments) {
  const auto request = parse(man_command_line(), arguments);
  if (!request) return ExitCode::pass;
  const std::string& version = build_info().version;
  if (request->out && request->command)
    throw Error(ErrorKind::usage, "man: --out writes the pages of all commands; omit COMMAND");
  if (request->out)
    write_manuals(*request->out, version);
  else
    fmt::print("{}", request->command ? manual_of(*request->command, version) : program_manual(version));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
