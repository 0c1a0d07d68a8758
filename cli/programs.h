#pragma once
// The programs of a user that cases start: checked once before any case runs, run only with the user's
// permission where a bundle names them, and what they saw and wrote kept to run them again by hand.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options.h"
#include "harness/planning/plan.h"
#include "harness/records/case.h"
#include "harness/records/record.h"
#include "pipeline/method/method.h"

namespace aqbench::cli {

// Throws Error(usage) "method NAME: FILE: ..." for the first case whose external program cannot be started: a
// missing program, script or working folder; and as default_cache_dir() for a case whose images are rendered.
void require_programs(std::span<const Case> cases);

// Does the same for the cases of a started sweep without a record in its bundle or a result of a task:
// finished cases can be merged without the program. Throws Error(not_comparable) where the program of such a
// case is another one than that of a record: nothing of the bundle has been written then. Also throws like
// read_journal().
void require_programs_of_open(const SweepPlan& plan, const std::filesystem::path& bundle);

// The user's permissions for a bundle's commands.
struct CommandTrust {
  bool run_its_commands = false;
};

// Returns the rows of these flags for a command's option table.
std::vector<Flag<CommandTrust>> command_trust_flags();

// Checks the permission to run the commands that `bundle` names in its file `journal`; "": the bundle is this
// file itself, a plan. It is given if there are none; if this user's own process wrote the first line of that
// file, from this folder (remember_commands()); or with --run-its-commands, which prints them to stderr
// first. Otherwise prints them and throws Error(input).
void require_trust(const std::filesystem::path& bundle, const char* journal,
                   const std::vector<std::string>& commands, const CommandTrust& trust);

// Records a journal or plan just written by this process as the user's own, so that the user can go on with
// it; a note on stderr reports failures. Does nothing without commands.
void remember_commands(const std::filesystem::path& journal, const std::vector<std::string>& commands);

// Of which cases the work is kept.
enum class KeepWork { none, failed, all };

// The flag, of commands that run programs.
inline constexpr FlagText kKeepWorkFlag{
    .name = "keep-work",
    .value_name = "[=failed]",
    .help =
        "keep what your programs saw and wrote, of all or of failed cases, in OUT.work beside OUT, and "
        "print a line that runs them again",
    .value_optional = true};

// Reads the value of --keep-work[=failed]. Throws Error(usage) for another word.
KeepWork read_keep_work(const FlagValue& value);

// Returns OUT.work/BUNDLE for the bundle OUT/BUNDLE: beside the folder of bundles, whose entries are all
// bundles.
std::filesystem::path work_folder(const std::filesystem::path& bundle);

// Moves what the program of a case saw and wrote from the case's scratch folder to CASE/dataset, CASE/output
// and CASE/log.txt below `folder`, in place of what is there, and prints on stderr a line that runs the
// program again on them. Does nothing for a method that starts no program, a skipped case, and one that went
// well where only failed ones are kept. Throws Error(io).
void keep_work(KeepWork which, const Case& planned, const MethodSpec& method, const Record& record,
               const std::filesystem::path& scratch, const std::filesystem::path& folder);

}  // namespace aqbench::cli
