#include "harness/running/method_process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "core/sandbox/sandbox.h"
#include "core/scratch_folder.h"
#include "harness/measuring/libraries.h"
#include "harness/planning/case_options.h"
#include "harness/planning/scene_choice.h"
#include "harness/running/case_input.h"
#include "harness/running/hidden_places.h"
#include "harness/running/method_run.h"
#include "scenes/dataset/dataset_cache.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProcessLog = "method.log";

// Adds this program, its modules and the folders of its loaded libraries.
void add_own_program(std::vector<fs::path>& readable) {
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  const fs::path folder = program.parent_path();
  for (const fs::path& file : entries_of(folder))
    if (file.filename().string().starts_with("libaqbench_")) readable.push_back(file);
  std::set<fs::path> mapped;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const std::size_t at = line.find('/'); at != line.npos && !line.ends_with(" (deleted)"))
      mapped.insert(line.substr(at));
  for (const fs::path& file : mapped)
    readable.push_back(file.parent_path() == folder ? file : file.parent_path());
}

// Returns whether a folder lies in one of these: only then may a method read it.
bool lies_in_any(const fs::path& folder, const std::vector<fs::path>& folders) {
  std::error_code unknown;
  const fs::path real = fs::weakly_canonical(folder, unknown);
  return std::ranges::any_of(
      folders, [&](const fs::path& outer) { return lies_in(real, fs::weakly_canonical(outer, unknown)); });
}

// Returns whether a file is one of these, whatever the links on its way.
bool is_named(const fs::path& file, const std::vector<fs::path>& named) {
  return is_file(file) && std::ranges::any_of(named, [&](const fs::path& name) {
           std::error_code missing;
           return fs::equivalent(name, file, missing);
         });
}

// Hides the scratch folders of other cases, also future ones: a folder that contains something hidden, here
// this case's log, is opened entry by entry, as it is now.
void hide_other_scratch(const fs::path& scratch, std::vector<fs::path>& hidden) {
  hidden.push_back(scratch / kProcessLog);
  for (const fs::path& other : entries_of(scratch.parent_path()))
    if (is_scratch_name(other.filename().string()) && other != scratch) hidden.push_back(other);
}

AccessList access_of(const MethodTask& task, const fs::path& temporary) {
  AccessList access;
  access.hidden = task.hidden;
  try {
    access.hidden.push_back(default_cache_dir());
  } catch (const Error&) {  // there is no cache to hide
  }
  std::vector<fs::path> named;
  if (task.reads != nullptr) named = task.reads(task.observation, task.input);
  // Hides bundles beside the current one, and bundles, truths, histories and credentials in a program's own
  // folders: searches only where the method could read them, including system folders (/opt).
  add_system_access(access);
  const auto system_folders = static_cast<std::ptrdiff_t>(access.readable.size());
  add_own_program(access.readable);
  access.readable.insert(access.readable.end(), named.begin(), named.end());
  const std::vector<fs::path> reachable = access.readable;
  std::vector<fs::path> searched(reachable.begin() + system_folders, reachable.end());
  for (const fs::path& folder : task.beside)
    if (lies_in_any(folder, reachable)) searched.push_back(folder);
  HiddenPlaces found = hidden_places_in(searched);
  std::ranges::move(found.hidden, std::back_inserter(access.hidden));
  // What the user names by itself is asked for.
  std::erase_if(found.closed, [&](const fs::path& place) { return is_named(place, named); });
  std::ranges::move(found.closed, std::back_inserter(access.closed));
  std::ranges::move(histories_above(searched), std::back_inserter(access.closed));
  hide_other_scratch(temporary.parent_path(), access.hidden);
  access.readable.push_back(task.observation.dataset_dir);
  close_files_of_root(access, {access.readable.begin() + system_folders, access.readable.end()});
  access.writable.push_back(task.input.work_dir);
  access.writable.emplace_back("/proc/self");  // its own counters
  access.temporary = temporary;
  return access;
}

}  // namespace

MethodTask method_task(const Case& planned, const MethodSpec& method, const fs::path& scratch,
                       const CaseBoard& board) {
  const fs::path work_dir = scratch / kWorkFolder;
  fs::create_directory(work_dir);
  MethodTask task{{scratch / kObservationFolder}, method_input(planned, method, work_dir), method.reads};
  task.hidden = board.hidden_dirs();
  for (const fs::path& bundle : board.hidden_dirs()) task.beside.push_back(bundle.parent_path());
  for (const fs::path& path : hidden_of_recordings()) task.hidden.push_back(path);
  std::vector<fs::path> hidden = held_out_files(planned);
  if (hidden.empty() && task.input.own_poses && looks_at_recording(planned))
    hidden = recording_place(planned).poses;
  for (const fs::path& path : hidden) {
    std::error_code unknown;
    task.hidden.push_back(fs::absolute(path, unknown));
    task.hidden.push_back(fs::weakly_canonical(path, unknown));
  }
  return task;
}

MethodProcess::MethodProcess(const MethodTask& task, CaseBoard& board, const fs::path& scratch,
                             std::function<std::string()> body, int output_file)
    : go_("pipe to a method") {
  const fs::path temporary = scratch / kTemporaryFolder;
  fs::create_directory(temporary);
  options_.log_file = scratch / kProcessLog;
  options_.descriptors = {go_.read.get(), output_file};
  options_.tick = [this] {
    show_log();
    if (gpus_) gpus_->look();
  };
  const SandboxMeans means = sandbox_means_from_environment();
  const auto wait_and_run = [&task, &board, temporary, means, body = std::move(body),
                             go = go_.read.get()]() -> std::string {
    char begin = 0;
    if (::read(go, &begin, 1) != 1) ::_exit(0);  // the parent gave up
    ::close(go);
    ::setenv("TMPDIR", temporary.c_str(), 1);
    // Throws if the task is malformed, such as a command with an open quote.
    board.set_isolation(enter_sandbox(access_of(task, temporary), means));
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

void MethodProcess::note_gpu_memory(Record& record) const {
  if (!gpus_) return;
  const auto bytes = gpus_->peak_bytes();
  const char* const given = std::getenv("CUDA_VISIBLE_DEVICES");
  const ParameterValue* const device = find_value(record.axes, "device");
  const bool has_gpu = (given != nullptr && *given != '\0') ||
                       (device != nullptr && *device == ParameterValue(std::string("cuda")));
  if (!bytes && !has_gpu) return;
  record.timing.figures.emplace_back("peak_gpu_mib", bytes ? static_cast<double>(*bytes) / 0x1p20 : NAN);
  if (!bytes) record.timing.note = "GPU memory unknown: " + gpus_->reason();
}

CaseResult measure_method(const Case& planned, RealMethod run, const MethodTask& task, CaseBoard& board,
                          int output_file) {
  CaseResult result{planned_record(planned), {}};
  try {
    set_thread_count(planned.threads);
    set_library_threads(planned.threads);
    const Reconstruction output = run_measured(
        planned,
        [&] {
          Reconstruction made = run(task.observation, task.input);
          if (gives_cloud(planned)) check_output(made);
          return made;
        },
        board, result.record, task.input.work_dir);
    write_reconstruction(output, output_file);
    result.record.status = Status::ok;
  } catch (...) {
    note_failure(result.record);
  }
  return result;
}

}  // namespace aqbench
