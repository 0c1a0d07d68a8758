#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>

#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/parameters.h"
#include "harness/measuring/build_info.h"

namespace aqbench::cli {
namespace {

// Escapes a text so that troff prints it unchanged and no line begins a request.
std::string troff(std::string_view text) {
  std::string escaped;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
    line_begins = c == '\n';
  }
  return escaped;
}

std::string heading(const std::string& page, const std::string& version) {
  std::string title = page;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH \"{}\" 1 \"\" \"aqbench {}\" \"User Commands\"\n", title, troff(version));
}

// Verbatim lines, in a fixed-width column.
std::string as_it_is(const std::string& text) { return fmt::format(".nf\n{}\n.fi\n", troff(text)); }

std::string option_text(const FlagText& flag) {
  std::string text = fmt::format(".TP\n\\fB\\-\\-{}\\fR", troff(flag.name));
  if (flag.value_name != nullptr) text += fmt::format(" \\fI{}\\fR", troff(flag.value_name));
  text += fmt::format("\n{}", troff(flag.help));
  if (flag.default_value != nullptr) text += fmt::format(" (default: {})", troff(flag.default_value));
  return text + ".\n";
}

std::string exit_status() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitCodeText& row : exit_code_texts())
    text += fmt::format(".TP\n{}\n{}.\n", static_cast<int>(row.code), troff(row.meaning));
  return text;
}

// Returns the manual page of the program, commands and exit codes, in man(7).
std::string program_manual(const std::string& version) {
  std::string page = heading("aqbench", version);
  page +=
      ".SH NAME\naqbench \\- benchmark and evaluation of 3D reconstruction through water\n"
      ".SH SYNOPSIS\n\\fBaqbench\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n"
      ".SH DESCRIPTION\nScores reconstructions against exact surfaces, compares times in pairs,\nand writes "
      "bundles of evidence that can be verified and gated on.\n.SH COMMANDS\n";
  for (const Command& command : commands())
    page += fmt::format(".TP\n\\fB{}\\fR\n{}; see \\fBaqbench\\-{}\\fR(1).\n", command.name,
                        troff(command.summary), command.name);
  page +=
      ".SH OPTIONS\n.TP\n\\fB\\-\\-version\\fR [\\fB\\-\\-json\\fR]\nPrint the version; with \\-\\-json also "
      "the\n"
      "build and the paths of its modules.\n.TP\n\\fB\\-\\-help\\fR\nPrint the commands.\n";
  return page + exit_status();
}

// Returns the manual page of a command: aqbench-NAME(1).
std::string command_manual(const Command& command, const std::string& version) {
  const CommandLineText line = text_of(command);
  std::string page = heading(fmt::format("aqbench-{}", command.name), version);
  page += fmt::format(".SH NAME\naqbench\\-{} \\- {}\n.SH SYNOPSIS\n", command.name, troff(command.summary));
  page += as_it_is(line.usage) + ".SH DESCRIPTION\n" + as_it_is(line.description) + ".SH OPTIONS\n";
  for (const FlagText& flag : line.flags) page += option_text(flag);
  return page + exit_status() + ".SH SEE ALSO\n\\fBaqbench\\fR(1)\n";
}

struct ManRequest {
  std::optional<std::string> command;
  std::optional<std::filesystem::path> out;
};

CommandLine<ManRequest> man_command_line() {
  return {
      "aqbench man [COMMAND] [--out DIR]",
      "Prints the manual page of the program or of a command, for `man -l -`. With --out: writes the pages\n"
      "of all commands into a folder, created if missing: aqbench.1, aqbench-sweep.1, ...",
      {{"out", "DIR", "write all pages into this folder", into<&ManRequest::out>}},
      {{{.name = "command", .optional = true}, into<&ManRequest::command>}}};
}

// Writes all pages: aqbench.1, aqbench-sweep.1, ...
void write_manuals(const std::filesystem::path& folder, const std::string& version) {
  make_folders(folder);
  write_file(folder / "aqbench.1", program_manual(version));
  for (const Command& command : commands())
    write_file(folder / fmt::format("aqbench-{}.1", command.name), command_manual(command, version));
}

}  // namespace

ExitCode man_command(const Arguments& arguments) {
  const auto request = parse(man_command_line(), arguments);
  const std::string& version = build_info().version;
  if (request.out && request.command)
    throw usage_error("man: --out writes the pages of all commands; omit COMMAND");
  if (request.out)
    write_manuals(*request.out, version);
  else
    fmt::print("{}", request.command
                         ? command_manual(find_named("command", *request.command, commands()), version)
                         : program_manual(version));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
