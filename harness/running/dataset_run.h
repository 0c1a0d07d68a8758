#pragma once
// Runs one method on a dataset or recording on disk: `aqbench run`.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/records/case.h"
#include "harness/records/record.h"
#include "harness/scoring/depth_score.h"
#include "pipeline/method/method.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {

struct DatasetRun;  // below

// Options of `aqbench run`.
struct DatasetRunRequest {
  std::string method;                             // registered and not simulated, or that of `declaration`
  std::string preset;                             // empty: the default one
  std::filesystem::path dataset_dir, out_dir;     // the first, in any layout of scenes/dataset/recording.h
  std::size_t frame = 0;                          // of a recording with several frames
  DeclaredTruth declared_truth;                   // of the dataset, outside its folder
  std::vector<Override> sets;                     // of the method
  std::optional<ManualDepthRange> depth_range_m;  // for methods that take one
  std::optional<MethodDeclaration> declaration;   // of a declared method
  std::filesystem::path project_dir;              // base of its relative paths
  std::uint64_t seed = 42;
  int threads = 1;
  std::string device = "cpu";
  double timeout_s = 0;                  // 0: none
  std::uint64_t memory_limit_bytes = 0;  // 0: none
  int cancel_descriptor = -1;
  std::function<void(const std::string& stage)> tick = {};  // a few times a second
  // After the method's process, before its scratch folder (case_input.h) is removed.
  std::function<void(const Case&, const MethodSpec&, const Record&, const std::filesystem::path& scratch)>
      ended = {};
  // Writes additional files into `folder`, which becomes out_dir; called if the output is kept, before the
  // folder is moved to its place.
  std::function<void(const DatasetRun& run, const std::filesystem::path& folder)> add_files = {};
};

// The result of a run on a dataset.
struct DatasetRun {
  Record record;                          // status and reason as in a sweep; metrics as far as truth is known
  std::vector<CameraDepthScore> cameras;  // with true depths only
  bool interrupted = false;
  bool kept = false;     // the method's output is in out_dir, even if it could not be scored
  std::string log_tail;  // of a failed run
  std::size_t points = 0, triangles = 0, depth_maps = 0;
};

// Runs the method in a child process that sees a copy of the frame's images, in aqbench's own layout, and
// nothing of the truth. Before that it throws Error(usage) for an unknown or simulated method, for an unknown
// preset, override, frame or depth range and for an occupied out_dir; Error(input) like choose_recording(),
// for example for a camera without an image. If the method ends well, out_dir appears at once with cloud.ply,
// mesh.ply (if there is one), both in the dataset's world frame, depth/<camera>.npy (float32, metres along
// the refracted ray, NaN for none), depth/<camera>_confidence.npy, the tables of scores (depth.csv,
// diagnosis.csv and others), log.txt (printed output), command.log (of an external command); otherwise it is
// not created. The output is scored as a sweep scores a recording; one that is not worth scoring is kept, and
// the record failed with the reason. This process must not have run LibTorch, TBB, Open3D or threads.
DatasetRun run_on_dataset(const DatasetRunRequest& request);

}  // namespace aqbench
