#include "harness/running/sampled_scene.h"

#include "tests/harness/support.h"

namespace aqbench {
namespace {

Case case_of(const std::string& scene, const std::string& method, const std::vector<std::string>& set = {}) {
  PlanRequest request = test::request_for({scene}, {method});
  for (const std::string& text : set) request.sets.push_back(parse_override(text));
  return plan_sweep(request).cases.at(0);
}

TEST(SampledScene, APreparedOneHasTheSamplesThatScoringDraws) {
  const Case planned = case_of("undulating", "roma_like", {"undulating.amplitude_m=0.0043"});
  EXPECT_EQ(sampled_scene(planned).samples, nullptr);
  prepare_scene(planned);
  const SampledScene sampled = sampled_scene(planned);
  ASSERT_NE(sampled.samples, nullptr);
  const Surface& surface = *sampled.scene.truth.surface;
  const ScoreOptions options = scoring_of(planned, surface, 3000);
  const SurfaceSamples drawn = surface.stratified_samples(options.sample_spacing_m, options.sample_seed);
  EXPECT_EQ(sampled.samples->positions_m, drawn.positions_m);
  EXPECT_EQ(sampled.samples->weights, drawn.weights);
  // Another method sees the same scene; other parameters of the scene or of its scoring make another one.
  EXPECT_EQ(sampled_scene(case_of("undulating", "lightglue_like", {"undulating.amplitude_m=0.0043"})).samples,
            sampled.samples);
  EXPECT_EQ(sampled_scene(case_of("undulating", "roma_like", {"undulating.amplitude_m=0.0041"})).samples,
            nullptr);
  EXPECT_EQ(sampled_scene(
                case_of("undulating", "roma_like", {"undulating.amplitude_m=0.0043", "scoring.spacing_mm=2"}))
                .samples,
            nullptr);
}

TEST(SampledScene, OfScenesWithoutAPatchAndRealMethodsNothingIsPrepared) {
  for (const Case& planned :
       {case_of("object", "roma_like"), case_of("flat_plane", "sparse", {"flat_plane.depth_m=1.2341"})}) {
    prepare_scene(planned);
    EXPECT_EQ(sampled_scene(planned).samples, nullptr) << planned.name;
  }
}

}  // namespace
}  // namespace aqbench
