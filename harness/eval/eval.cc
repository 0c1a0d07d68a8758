#include "harness/eval/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/shown_json.h"
#include "core/text.h"
#include "harness/datasets/project_datasets.h"
#include "harness/eval/eval_protocol.h"
#include "harness/eval/file_family.h"

namespace aqbench {
namespace {

// Checks what the flags of a cloud mean together, and reads the overrides of its scene and rig.
void complete_cloud_request(EvalRequest& request) {
  EvalCloudRequest& cloud = request.cloud;
  const auto given = [&](const char* name) { return request.given.count(name); };
  if (cloud.cloud_file.empty()) throw usage_error("CLOUD is missing (or --depth)");
  if (given("depth-scale") != 0 && given("truth-depth") == 0 && request.mode != kEvalDepthFiles)
    throw usage_error("--depth-scale: needs --depth, --truth-depth or --protocol depth");
  for (const char* const flag : {"max-distance", "border"})
    if (given(flag) != 0 && request.mode != kEvalCloud && !asks_for_surface(request.protocol))
      throw usage_error("--{}: needs distances to the surface: --protocol aqbench or all", flag);
  if (given("rig") != 0 && request.mode != kEvalCloud && given("truth-depth") == 0 &&
      !asks_for_cameras(request.protocol))
    throw usage_error("--rig: a protocol needs cameras for the knob cull alone");
  cloud.truth_depth_meaning = request.depth.meaning;
  if (given("truth-unit") != 0) cloud.truth_depth_meaning.metres_per_unit = cloud.truth_metres_per_unit;
  const auto truths =
      given("scene") + given("mesh") + given("truth") + given("truth-cloud") + given("truth-depth");
  if (truths > 1 || truths + given("dataset") == 0)
    throw usage_error(
        "give one of --scene S, --mesh M.ply, --truth FILE, --truth-cloud FILE, --truth-depth CAMERA=FILE "
        "and --dataset DIR");
  use_dataset(cloud, truths == 0);
  const auto by_cameras = std::ranges::find_if(cloud.place.steps, takes_cameras);
  const bool needs_cameras = by_cameras != cloud.place.steps.end();
  const EvalProtocolRequest& protocol = request.protocol;
  const bool fuses =
      uses_cameras(protocol.explain.empty() ? protocol.protocol : split_at(protocol.explain[0], ':').front());
  for (const char* flag : {"cameras", "truth-cameras"})
    if (given(flag) != needs_cameras && !fuses)
      throw Error(ErrorKind::usage,
                  needs_cameras ? fmt::format("--align {}: needs --{}", *by_cameras, flag)
                                : fmt::format("--{}: needs --align cameras or tanks-and-temples", flag));
  if (given("rig") + given("dataset") > 1)
    throw usage_error("--rig, --dataset: give one of them; a dataset has its cameras");
  for (const std::string& set : request.sets) {
    cloud.overrides.push_back(parse_override(set));
    const std::string& owner = cloud.overrides.back().owner;
    if (owner.empty() || (owner != cloud.scene && owner != cloud.rig))
      throw usage_error("--set '{}': the scene is {}{}", set,
                        cloud.scene.empty() ? "the dataset's, as it is" : cloud.scene,
                        cloud.rig.empty() ? "" : ", the rig " + cloud.rig);
  }
}

// Sets the number of threads, where one is given, as long as it lives.
class ThreadCount {
 public:
  explicit ThreadCount(const std::optional<int>& count) {
    const int before = thread_count();
    if (!count) return;
    set_thread_count(*count);
    before_ = before;
  }
  ~ThreadCount() {
    if (before_) set_thread_count(*before_);
  }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  std::optional<int> before_;
};

}  // namespace

EvalRequest eval_request(const Arguments& arguments) { return parse(eval_command_line(), arguments); }

EvalAnswer eval_answer(EvalRequest asked, const Arguments& arguments, EvalHost host) {
  if (asked.mode == kEvalGiven || (asked.into_bundle.out && !host.writes_bundles))
    throw usage_error("a pattern and --out: run as a sweep, and write a bundle: only by the program");
  asked.cloud.place.warn = [tell = host.tell](const std::string& warning) {
    tell(fmt::format("aqbench: warning: {}", printable(warning)));
  };
  asked.cloud.host = std::move(host);
  const ThreadCount threads(asked.threads);
  if (asked.mode == kEvalBoard) return eval_charuco(asked);
  std::vector<std::string> rigs = {asked.cloud.rig, asked.calibration_file};
  if (!asked.calibration_file.empty())
    rigs.insert(rigs.end(), asked.cloud.truth_files.begin(), asked.cloud.truth_files.end());
  for (const std::string& rig : rigs) use_current_rigs(rig);
  if (!asked.calibration_file.empty() && !asked.cloud.cloud_file.empty())
    throw usage_error("--calibration: stands in the place of CLOUD, '{}'", asked.cloud.cloud_file);
  if (!asked.calibration_file.empty()) asked.cloud.cloud_file = asked.calibration_file;
  if (asked.mode != kEvalDepth) complete_cloud_request(asked);
  if (asked.mode != kEvalDepth && asked.mode != kEvalCloud) return eval_protocol(asked, arguments);
  EvalAnswer answer = (asked.mode == kEvalDepth ? eval_depth : eval_cloud)(asked, arguments);
  if (asked.cloud.json) answer.json = shown_json(results_text(*answer.results));
  return answer;
}

}  // namespace aqbench
