#pragma once
// The process of a real method: it sees a dataset without its truth, and nothing else of a run.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "core/processes/gpus.h"
#include "core/processes/isolate.h"
#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/running/case_process.h"
#include "pipeline/method/method.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Folder in a case's scratch folder for temporary files of a method's process (TMPDIR).
inline constexpr const char* kTemporaryFolder = "tmp";

// A method's input, and the paths hidden from it even if its own files are around them.
struct MethodTask {
  Observation observation;
  MethodInput input;  // work_dir is an empty folder
  MethodReads reads = nullptr;
  std::vector<std::filesystem::path> hidden = {};  // beside the dataset cache
  // Folders with earlier bundles and truths to hide, like those that the method reads.
  std::vector<std::filesystem::path> beside = {};
};

// Returns the task of a case: its observation is, or will be, in the scratch folder's kObservationFolder.
// Creates its empty work_dir there. Throws like method_parameters().
MethodTask method_task(const Case& planned, const MethodSpec& method, const std::filesystem::path& scratch,
                       const CaseBoard& board);

// A child process forked before its parent made or read any truth, which waits until it may begin. It then
// sandboxes itself (core/sandbox/sandbox.h): it can read the system, this program, the observation and what
// the method needs, write its work_dir and a folder for temporary files, and reach neither truth, cache,
// bundle and other cases nor outside processes. The board records how.
class MethodProcess {
 public:
  // Forks; the parent must not have used what cannot be forked (core/processes/isolate.h). `body` is called
  // in the child, which keeps `output_file` open. `scratch` is an existing folder of the case. All references
  // must outlive the process. Throws Error(usage) for an unknown AQBENCH_ISOLATION, Error(io).
  MethodProcess(const MethodTask& task, CaseBoard& board, const std::filesystem::path& scratch,
                std::function<std::string()> body, int output_file = -1);

  // Has nvidia-smi sample its GPU memory while it runs.
  void watch_gpus() { gpus_.emplace(); }

  // Lets the child begin, waits for it and returns how it ended. Copies its output to stderr meanwhile.
  IsolateOutcome run();

  // Adds the peak of its GPU memory to the record, if that is known; or that it is unknown and why, if a GPU
  // was there for it.
  void note_gpu_memory(Record& record) const;
  const IsolateOptions& options() const { return options_; }

 private:
  void show_log();

  Pipe go_;
  IsolateOptions options_;
  std::size_t shown_bytes_ = 0;  // of the log
  std::optional<GpuMemoryWatch> gpus_;
  std::optional<IsolatedProcess> process_;
};

// Runs a case's method like run_measured() and returns its record; an error makes a failed one. Writes the
// output of a method that ended well to the file. Call it in a MethodProcess.
CaseResult measure_method(const Case& planned, RealMethod run, const MethodTask& task, CaseBoard& board,
                          int output_file);

// Writes every array of a reconstruction as bytes of this machine, on their way from the process of a method
// to the scoring one. Throws Error(io).
void write_reconstruction(const Reconstruction& reconstruction, int descriptor);

// Reads a file that write_reconstruction() wrote, from its beginning. Throws Error(method) for any other
// bytes.
Reconstruction read_reconstruction(int descriptor);

}  // namespace aqbench
