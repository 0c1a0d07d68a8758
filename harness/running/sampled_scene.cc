#include "harness/running/sampled_scene.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "core/error.h"
#include "harness/planning/case_options.h"
#include "harness/planning/suite.h"
#include "pipeline/method/method.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxScenes = 8, kMaxSamples = 1'000'000;

struct KeptScene {
  std::string name;  // of the scene, with what is set of it and of the scoring
  SampledScene sampled;
};

std::deque<KeptScene>& kept_scenes() {
  static std::deque<KeptScene> scenes;  // the latest first
  return scenes;
}

std::string name_of(const Case& planned) {
  std::string name = planned.scene;
  for (const Override& given : planned.overrides)
    if (given.owner == planned.scene || given.owner == kScoringOwner)
      name += "\n" + given.owner + "." + given.parameter + "=" + given.value;
  return name;
}

}  // namespace

ScoreOptions scoring_of(const Case& planned, const Surface& surface, std::size_t points,
                        ScoreOptions options) {
  take_given_scoring(planned, options);
  double& spacing_m = options.sample_spacing_m;
  if (spacing_m == ScoreOptions{}.sample_spacing_m)  // as in eval; a small patch has as many samples
    spacing_m = surface.patch() == nullptr ? auto_spacing_m(surface, points)
                                           : std::min(spacing_m, auto_spacing_m(surface, 0));
  return options;
}

void prepare_scene(const Case& planned) {
  const auto is_registered = [&](const SceneSpec& scene) { return scene.name == planned.scene; };
  if (!planned.workload.empty() || std::ranges::none_of(scene_registry(), is_registered) ||
      !method_of(planned).simulated())
    return;
  std::string name = name_of(planned);
  std::deque<KeptScene>& kept = kept_scenes();
  if (std::ranges::find(kept, name, &KeptScene::name) != kept.end()) return;
  SampledScene sampled{make_scene(planned.scene, planned.overrides), nullptr};
  const Surface& surface = *sampled.scene.truth.surface;
  if (surface.patch() == nullptr) return;
  const ScoreOptions options = scoring_of(planned, surface, 0);
  if (surface.area_m2() / (options.sample_spacing_m * options.sample_spacing_m) > kMaxSamples) return;
  sampled.samples = std::make_shared<SurfaceSamples>(
      surface.stratified_samples(options.sample_spacing_m, options.sample_seed));
  kept.push_front({std::move(name), std::move(sampled)});
  if (kept.size() > kMaxScenes) kept.pop_back();
}

SampledScene sampled_scene(const Case& planned) {
  const auto found = std::ranges::find(kept_scenes(), name_of(planned), &KeptScene::name);
  if (found != kept_scenes().end()) return found->sampled;
  return {make_scene(planned.scene, planned.overrides), nullptr};
}

}  // namespace aqbench
