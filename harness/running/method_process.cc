#include "harness/running/method_process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/sandbox/access.h"
#include "core/sandbox/sandbox.h"
#include "core/scratch_folder.h"
#include "harness/measuring/library_threads.h"
#include "harness/planning/scene_choice.h"
#include "harness/running/case_dataset.h"
#include "harness/running/case_outcome.h"
#include "harness/running/journal.h"
#include "harness/running/method_run.h"
#include "harness/running/reconstruction_bytes.h"
#include "scenes/dataset/dataset_cache.h"

namespace aqbench {
namespace {

constexpr std::uint64_t kMaxAnswerBytes = std::uint64_t{64} << 30;
constexpr const char* kReconstructionPart = "reconstruction";
constexpr const char* kProcessLog = "method.log";

// Adds this program, its modules and the folders of its loaded libraries.
void add_own_program(std::vector<std::filesystem::path>& readable) {
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::filesystem::path folder = program.parent_path();
  for (std::filesystem::directory_iterator entry(folder, unknown), end; !unknown && entry != end;
       entry.increment(unknown))
    if (entry->path().filename().string().starts_with("libaqbench_")) readable.push_back(entry->path());
  std::set<std::filesystem::path> mapped;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const std::size_t at = line.find('/'); at != line.npos && !line.ends_with(" (deleted)"))
      mapped.insert(line.substr(at));
  for (const std::filesystem::path& file : mapped)
    readable.push_back(file.parent_path() == folder ? file : file.parent_path());
}

void hide_places_in(const std::filesystem::path& folder, std::vector<std::filesystem::path>& hidden) {
  const std::vector<std::filesystem::path> found = hidden_places_in(folder);
  hidden.insert(hidden.end(), found.begin(), found.end());
}

// Returns whether a folder lies in one of these: only then may a method read it.
bool lies_in_any(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& folders) {
  std::error_code unknown;
  const std::filesystem::path real = std::filesystem::weakly_canonical(folder, unknown);
  return std::ranges::any_of(folders, [&](const std::filesystem::path& outer) {
    return lies_in(real, std::filesystem::weakly_canonical(outer, unknown));
  });
}

// Hides the scratch folders of other cases, also future ones: a folder that contains something hidden, here
// this case's log, is opened entry by entry, as it is now.
void hide_other_scratch(const std::filesystem::path& scratch, std::vector<std::filesystem::path>& hidden) {
  hidden.push_back(scratch / kProcessLog);
  std::error_code unknown;
  for (std::filesystem::directory_iterator entry(scratch.parent_path(), unknown), end;
       !unknown && entry != end; entry.increment(unknown))
    if (is_scratch_name(entry->path().filename().string()) && entry->path() != scratch)
      hidden.push_back(entry->path());
}

AccessList access_of(const MethodTask& task, const std::filesystem::path& temporary) {
  AccessList access;
  access.hidden = task.hidden;
  try {
    access.hidden.push_back(default_cache_dir());
  } catch (const Error&) {  // there is no cache to hide
  }
  std::vector<std::filesystem::path> named;
  if (task.reads != nullptr) named = task.reads(task.observation, task.input);
  // Hides bundles beside the current one and in a program's own folders. There may be thousands: searches
  // only where the method could read them, including system folders (/opt).
  add_system_access(access);
  std::vector<std::filesystem::path> reachable = access.readable;
  reachable.insert(reachable.end(), named.begin(), named.end());
  for (const std::filesystem::path& folder : task.beside)
    if (lies_in_any(folder, reachable)) hide_places_in(folder, access.hidden);
  for (const std::filesystem::path& folder : named) hide_places_in(folder, access.hidden);
  hide_other_scratch(temporary.parent_path(), access.hidden);
  add_own_program(access.readable);
  access.readable.push_back(task.observation.dataset_dir);
  access.readable.insert(access.readable.end(), named.begin(), named.end());
  access.writable.push_back(task.input.work_dir);
  access.writable.emplace_back("/proc/self");  // its own counters
  access.temporary = temporary;
  return access;
}

// Throws if a task is malformed, such as a command with an open quote.
void shut_in(const MethodTask& task, const SandboxMeans& means, const std::filesystem::path& temporary,
             CaseBoard& board) {
  ::setenv("TMPDIR", temporary.c_str(), 1);
  board.set_isolation(enter_sandbox(access_of(task, temporary), means));
}

namespace fs = std::filesystem;

// File names that identify a folder.
struct Names {
  bool journal = false, calibration = false, truth = false;
  std::vector<fs::path> folders;
};

// Returns whether a file begins as aqbench writes it: anyone may use the name.
bool begins_with(const fs::path& file, std::string_view start) {
  std::array<char, 32> bytes{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(start.size()));
  return std::string_view(bytes.data(), static_cast<std::size_t>(stream.gcount())) == start;
}

class Search {
 public:
  std::vector<fs::path> run(const fs::path& folder) {
    look_into(folder, kHiddenPlaceDepth);
    return std::move(found_);
  }

 private:
  Names names_in(const fs::path& folder) {
    Names names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (++seen_ > kHiddenPlaceNames) break;
      const std::string name = entry->path().filename().string();
      if (name == kJournalFile) names.journal = true;
      if (name == "calibration.json") names.calibration = true;
      std::error_code unknown;
      if (!fs::is_directory(entry->symlink_status(unknown))) continue;
      if (name == "truth") names.truth = true;
      names.folders.push_back(entry->path());
    }
    return names;
  }

  void look_into(const fs::path& folder, int depth) {
    if (seen_ > kHiddenPlaceNames) return;
    const Names names = names_in(folder);
    if (names.journal && begins_with(folder / kJournalFile, R"({"journal":"aqbench")")) {
      found_.push_back(folder);
      found_.push_back(folder.string() + ".tasks");
      return;
    }
    if (names.calibration && names.truth) found_.push_back(folder / "truth");
    if (depth == 0) return;
    for (const fs::path& inside : names.folders) look_into(inside, depth - 1);
  }

  std::vector<fs::path> found_;
  std::size_t seen_ = 0;
};

}  // namespace

MethodTask method_task(const Case& planned, const MethodSpec& method, const std::filesystem::path& scratch,
                       const CaseBoard& board) {
  const std::filesystem::path work_dir = scratch / kWorkFolder;
  std::filesystem::create_directory(work_dir);
  MethodTask task{{scratch / kObservationFolder}, method_input(planned, method, work_dir), method.reads};
  task.hidden = board.hidden_dirs();
  for (const std::filesystem::path& bundle : board.hidden_dirs()) task.beside.push_back(bundle.parent_path());
  for (const std::filesystem::path& path : hidden_of_recordings()) task.hidden.push_back(path);
  std::vector<std::filesystem::path> hidden = held_out_files(planned);
  if (hidden.empty() && task.input.own_poses && looks_at_recording(planned))
    hidden = recording_place(planned).poses;
  for (const std::filesystem::path& path : hidden) {
    std::error_code unknown;
    task.hidden.push_back(std::filesystem::absolute(path, unknown));
    task.hidden.push_back(std::filesystem::weakly_canonical(path, unknown));
  }
  return task;
}

MethodProcess::MethodProcess(const MethodTask& task, CaseBoard& board, const std::filesystem::path& scratch,
                             std::function<std::string()> body)
    : go_("pipe to a method") {
  const std::filesystem::path temporary = scratch / kTemporaryFolder;
  std::filesystem::create_directory(temporary);
  options_.result_limit_bytes = kMaxAnswerBytes;
  options_.log_file = scratch / kProcessLog;
  options_.descriptors = {go_.read.get()};
  options_.tick = [this] { show_log(); };
  const SandboxMeans means = sandbox_means_from_environment();
  const auto wait_and_run = [&task, &board, temporary, means, body = std::move(body),
                             go = go_.read.get()]() -> std::string {
    char begin = 0;
    if (::read(go, &begin, 1) != 1) ::_exit(0);  // the parent gave up
    ::close(go);
    shut_in(task, means, temporary, board);
    return body();
  };
  process_.emplace(wait_and_run, options_);
  go_.read.reset();
}

void MethodProcess::show_log() {
  const Descriptor log(::open(options_.log_file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::array<char, 1 << 14> piece{};
  ssize_t count = 0;
  while ((count = ::pread(log.get(), piece.data(), piece.size(), static_cast<off_t>(shown_bytes_))) > 0) {
    write_all(STDERR_FILENO, {piece.data(), static_cast<std::size_t>(count)});
    shown_bytes_ += static_cast<std::size_t>(count);
  }
}

IsolateOutcome MethodProcess::run() {
  if (const int error = write_all(go_.write.get(), "g"); error != 0 && error != EPIPE)
    throw_file_error("pipe to a method", error);
  go_.write.reset();
  IsolateOutcome outcome = process_->wait();
  show_log();
  return outcome;
}

std::string measure_method(const Case& planned, RealMethod run, const MethodTask& task, CaseBoard& board) {
  CaseResult result{planned_record(planned), {}};
  try {
    set_thread_count(planned.threads);
    set_library_threads(planned.threads);
    const Reconstruction output = run_measured(
        planned,
        [&] {
          Reconstruction made = run(task.observation, task.input);
          check_output(made);
          return made;
        },
        board, result.record);
    result.record.status = Status::ok;
    result.artefacts.emplace_back(kReconstructionPart, encode_reconstruction(output));
  } catch (...) {
    note_failure(result.record);
  }
  return encode_case_result(result);
}

std::pair<Record, std::optional<Reconstruction>> take_method_result(const Case& planned,
                                                                    const IsolateOutcome& outcome,
                                                                    const IsolateOptions& options,
                                                                    const CaseBoard& board,
                                                                    const std::string& dataset_name) {
  CaseResult result = result_of(planned, outcome, options, board, dataset_name);
  std::optional<Reconstruction> output;
  if (result.record.status != Status::ok) return {std::move(result.record), std::move(output)};
  for (const auto& [name, bytes] : result.artefacts)
    if (name == kReconstructionPart) output = decode_reconstruction(bytes);
  if (!output) throw Error(ErrorKind::method, "its process returned no reconstruction");
  result.record.effective = output->effective;
  return {std::move(result.record), std::move(output)};
}

std::vector<fs::path> hidden_places_in(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  // System folders, which are large, contain no runs.
  constexpr std::array kSystem = {"/usr", "/etc", "/proc", "/sys", "/dev"};
  const bool system =
      std::ranges::any_of(kSystem, [&](const char* of_system) { return lies_in(real, of_system); });
  return error || system ? std::vector<fs::path>() : Search().run(real);
}

}  // namespace aqbench
