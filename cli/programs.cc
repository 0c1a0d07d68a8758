#include "cli/programs.h"

#include <fmt/format.h>

#include <set>
#include <system_error>

#include "cli/own_journals.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/text.h"
#include "harness/planning/case_options.h"
#include "harness/records/case_result.h"
#include "harness/records/guests.h"
#include "harness/running/case_input.h"
#include "harness/running/journal.h"
#include "harness/running/method_run.h"
#include "harness/sharing/finished_cases.h"
#include "pipeline/external/external.h"
#include "reports/content/commands.h"
#include "scenes/dataset/dataset_cache.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

// Moves a file or folder, also to another file system; one that is missing is left out.
void move_to(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(from, error))) return;
  fs::rename(from, to, error);
  if (!error) return;
  error.clear();
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
  if (error) throw io_error("{}: {}", to.string(), error.message());
}

// Returns a line for a shell that starts the program in its folder with its variables.
std::string shell_line(const ProgramRun& program) {
  std::vector<std::string> words;
  if (!program.variables.empty()) words.emplace_back("env");
  for (const auto& [name, value] : program.variables) words.push_back(name + "=" + value);
  words.insert(words.end(), program.words.begin(), program.words.end());
  const std::string line = shell_join(words);
  if (program.working_folder.empty()) return line;
  return fmt::format("cd {} && {}", shell_join({program.working_folder.string()}), line);
}

}  // namespace

void require_programs(std::span<const Case> cases) {
  for (const Case& planned : cases) {
    if (renders_images(planned)) default_cache_dir();
    if (!starts_program(planned)) continue;
    const MethodInput input = method_input(planned, method_of(planned), {});
    if (const std::string problem = external_problem(input); !problem.empty())
      throw usage_error("method {}: {}", planned.method, problem);
  }
}

void require_programs_of_open(const SweepPlan& plan, const std::filesystem::path& bundle) {
  std::set<std::string> done;
  GuestsSeen seen;
  for (const CaseEnd& end : read_journal(bundle, TornTail::accept, KeptRecords::ends).ends) {
    done.insert(end.case_name);
    if (end.guest) seen.add(end.case_name, end.method, *end.guest);
  }
  const std::filesystem::path tasks = tasks_folder(bundle);
  if (std::filesystem::is_directory(tasks))
    for (std::size_t i = 0; i < plan.cases.size(); ++i)
      if (is_finished(tasks, i + 1)) done.insert(plan.cases[i].name);
  for (const Case& planned : plan.cases) {
    if (done.contains(planned.name)) continue;
    require_programs(std::span(&planned, 1));
    if (done.empty()) continue;
    if (const auto guest = program_of(planned)) seen.require_same(planned.name, planned.method, *guest);
  }
}

std::vector<Flag<CommandTrust>> command_trust_flags() {
  return {{"run-its-commands", nullptr,
           "run the programs named by the bundle; without this flag they are only shown",
           into<&CommandTrust::run_its_commands>}};
}

void require_trust(const std::filesystem::path& bundle, const char* journal,
                   const std::vector<std::string>& commands, const CommandTrust& trust) {
  if (commands.empty() || is_own_journal(*journal == '\0' ? bundle : bundle / journal)) return;
  fmt::print(stderr, "aqbench: {} would run these commands with your rights:\n", printable(bundle.string()));
  for (const std::string& command : commands) fmt::print(stderr, "  {}\n", printable(command));
  if (trust.run_its_commands) return;
  throw input_error(
      "{}: refusing to run its commands, because you did not start it in this folder; --run-its-commands "
      "runs those shown above",
      bundle.string());
}

void remember_commands(const std::filesystem::path& journal, const std::vector<std::string>& commands) {
  if (commands.empty()) return;
  if (const std::string problem = remember_own_journal(journal); !problem.empty())
    fmt::print(
        stderr,
        "aqbench: note: cannot record this run as yours, so going on with it will need permission: {}\n",
        printable(problem));
}

KeepWork read_keep_work(const FlagValue& value) {
  if (value.text.empty()) return KeepWork::all;
  if (value.text != "failed") value.refuse_text("expected failed, or no value for all cases");
  return KeepWork::failed;
}

std::filesystem::path work_folder(const fs::path& bundle) {
  const fs::path whole = fs::absolute(bundle).lexically_normal();
  return fs::path(whole.parent_path().string() + ".work") / whole.filename();
}

void keep_work(KeepWork which, const Case& planned, const MethodSpec& method, const Record& record,
               const fs::path& scratch, const fs::path& folder) {
  if (which == KeepWork::none || !method.starts_program || record.status == Status::skipped ||
      (which == KeepWork::failed && record.status == Status::ok))
    return;
  const fs::path kept = fs::absolute(folder) / file_name_of(planned.name), work = scratch / kWorkFolder;
  std::error_code error;
  fs::remove_all(kept, error);
  make_folders(kept);
  const bool own_layout = fs::is_directory(work / "dataset", error);  // written for this method
  move_to(own_layout ? work / "dataset" : scratch / kObservationFolder, kept / "dataset");
  move_to(work / "output", kept / "output");
  move_to(work / kMethodLog, kept / kMethodLog);
  fs::create_directory(kept / "output", error);  // of a program that did not start
  set_thread_count(planned.threads);             // for {threads}
  const Observation seen{kept / "dataset"};
  const ProgramRun program = external_program(seen, method_input(planned, method, kept));
  fmt::print(stderr, "aqbench: {}: its work is in {}; again by hand: {}\n", printable(planned.name),
             printable(kept.string()), printable(shell_line(program)));
}

}  // namespace aqbench::cli
