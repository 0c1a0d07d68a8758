#pragma once
// A command of the program. To add one: write NAME_command.cc, declare its function here, add a row in
// command.cc.

#include <span>

#include "core/command_line/flags.h"
#include "core/error.h"

namespace aqbench::cli {

// A row in the table of commands.
struct Command {
  const char* name;
  const char* summary;                          // one line
  ExitCode (*run)(const Arguments& arguments);  // throws Error
};

// Returns all commands in the order of the help.
std::span<const Command> commands();

// Returns the option table of a command, without --help.
CommandLineText line_of(const Command& command);

// The commands, in files of their names or subjects. Each prints its results, returns the exit code and
// throws Error.
ExitCode ab_command(const Arguments& arguments);
ExitCode accept_command(const Arguments& arguments);
ExitCode bisect_command(const Arguments& arguments);
ExitCode cache_command(const Arguments& arguments);
ExitCode change_command(const Arguments& arguments);
ExitCode check_command(const Arguments& arguments);
ExitCode completion_command(const Arguments& arguments);
ExitCode collect_command(const Arguments& arguments);
ExitCode compare_command(const Arguments& arguments);
ExitCode demo_command(const Arguments& arguments);
ExitCode docs_command(const Arguments& arguments);
ExitCode eval_command(const Arguments& arguments);
ExitCode export_command(const Arguments& arguments);
ExitCode gate_command(const Arguments& arguments);
ExitCode get_command(const Arguments& arguments);
ExitCode import_command(const Arguments& arguments);
ExitCode init_command(const Arguments& arguments);
ExitCode list_command(const Arguments& arguments);
ExitCode man_command(const Arguments& arguments);
ExitCode merge_command(const Arguments& arguments);
ExitCode profile_command(const Arguments& arguments);
ExitCode render_command(const Arguments& arguments);
ExitCode replay_command(const Arguments& arguments);
ExitCode report_command(const Arguments& arguments);
ExitCode run_case_command(const Arguments& arguments);
ExitCode run_command(const Arguments& arguments);
ExitCode schema_command(const Arguments& arguments);
ExitCode site_command(const Arguments& arguments);
ExitCode status_command(const Arguments& arguments);
ExitCode sweep_command(const Arguments& arguments);
ExitCode budget_command(const Arguments& arguments);
ExitCode trend_command(const Arguments& arguments);
ExitCode unit_command(const Arguments& arguments);
ExitCode verify_command(const Arguments& arguments);

// The meaning of an exit code.
struct ExitCodeText {
  ExitCode code;
  const char* meaning;
};

// Returns the meanings of all exit codes in the order of the help.
std::span<const ExitCodeText> exit_code_texts();

// Runs the program: `arguments` without the program's own name. Prints errors as one line to stderr and
// returns the exit code.
int run_command_line(const Arguments& arguments);

}  // namespace aqbench::cli
