#pragma once
// Runs one method on a dataset or a recording that lies somewhere on disk: `aqbench run`.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/records/record.h"
#include "harness/scoring/depth_score.h"
#include "pipeline/method/method.h"
#include "scenes/dataset/truth_entry.h"

namespace aqbench {

struct DatasetRun;  // below

// What `aqbench run` was asked for.
struct DatasetRunRequest {
  std::string method;                             // registered and not simulated, or that of `declaration`
  std::string preset;                             // empty: the default one
  std::filesystem::path dataset_dir, out_dir;     // the first in any layout of scenes/dataset/recording.h
  std::size_t frame = 0;                          // of a recording with several
  DeclaredTruth declared_truth;                   // of the dataset, outside of its folder
  std::vector<Override> sets;                     // of the method
  std::optional<ManualDepthRange> depth_range_m;  // for methods that take one
  std::optional<MethodDeclaration> declaration;   // of a method that a user declared
  std::filesystem::path project_dir;              // that its relative paths are read from
  std::uint64_t seed = 42;
  int threads = 1;
  std::string device = "cpu";
  double timeout_s = 0;                  // 0: none
  std::uint64_t memory_limit_bytes = 0;  // 0: none
  int cancel_descriptor = -1;
  std::function<void(const std::string& stage)> tick = {};  // a few times a second
  // Writes further files into `folder`, which becomes out_dir; called where the output is kept, before the
  // folder is moved to its place.
  std::function<void(const DatasetRun& run, const std::filesystem::path& folder)> add_files = {};
};

// What a run on a dataset gave.
struct DatasetRun {
  Record record;                          // status and reason as in a sweep; metrics by what is known
  std::vector<CameraDepthScore> cameras;  // where there are true depths
  bool interrupted = false;
  bool kept = false;     // the method's output lies in out_dir, also where it could not be scored
  std::string log_tail;  // of a run that failed
  std::size_t points = 0, triangles = 0, depth_maps = 0;
};

// Runs the method in a child process that sees a copy of the frame's images, in aqbench's own layout, and
// nothing of the truth. Before that it throws Error(usage) for an unknown or simulated method, for a preset,
// an override, a frame or a depth range that the method or the dataset does not have and for an out_dir that
// is not free; Error(input) as choose_recording() does, for a camera without an image among others. Where the
// method ends well, out_dir holds cloud.ply, mesh.ply (if there is one), both in the dataset's world frame,
// depth/<camera>.npy (float32, metres along the refracted ray, NaN for none), depth/<camera>_confidence.npy,
// the tables of what was scored (depth.csv, diagnosis.csv and others), log.txt (what was printed),
// command.log (of an external command); where not, out_dir is not made; it appears with all its files at
// once. The output is scored as a sweep scores a recording; one that is not worth scoring is kept, and the
// record failed with the reason. This process must not have run LibTorch, TBB, Open3D or threads.
DatasetRun run_on_dataset(const DatasetRunRequest& request);

}  // namespace aqbench
