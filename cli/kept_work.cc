#include "cli/kept_work.h"

#include <fmt/format.h>

#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/text.h"
#include "harness/records/case_result.h"
#include "harness/running/case_dataset.h"
#include "harness/running/method_run.h"
#include "pipeline/external/declared.h"
#include "pipeline/external/external.h"
#include "reports/content/commands.h"

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
  fs::create_directories(kept, error);
  if (error) throw io_error("{}: {}", kept.string(), error.message());
  const bool own_layout = fs::is_directory(work / "dataset", error);  // written for this method
  move_to(own_layout ? work / "dataset" : scratch / kObservationFolder, kept / "dataset");
  move_to(work / "output", kept / "output");
  move_to(work / kMethodLog, kept / kMethodLog);
  fs::create_directory(kept / "output", error);  // of a program that did not start
  set_thread_count(planned.threads);             // for {threads}
  const Observation seen{kept / "dataset"};
  const MethodInput input = method_input(planned, method, kept);
  const ProgramRun program =
      method.declaration ? declared_program(seen, input) : external_program(seen, input);
  fmt::print(stderr, "aqbench: {}: its work is in {}; again by hand: {}\n", printable(planned.name),
             kept.string(), printable(shell_line(program)));
}

}  // namespace aqbench::cli
