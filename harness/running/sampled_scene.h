#pragma once
// Scenes of simulated cases with the samples of their truth: made before a process is forked, they cost its
// case nothing.

#include <cstddef>
#include <memory>

#include "harness/records/case.h"
#include "harness/scoring/evaluate.h"
#include "scenes/scene.h"

namespace aqbench {

// A scene, and the samples of its truth that completeness takes; none where these depend on the output.
struct SampledScene {
  Scene scene;
  std::shared_ptr<const SurfaceSamples> samples;
};

// Returns how an output of so many points is scored against its true surface: the options of the case added
// to those given.
ScoreOptions scoring_of(const Case& planned, const Surface& surface, std::size_t points,
                        ScoreOptions options = {});

// Makes the scene of a simulated case, for sampled_scene() in processes forked from now on. The latest eight
// are kept, of at most a million samples each. Other cases need none.
void prepare_scene(const Case& planned);

// Returns the scene of a simulated case, prepared or made now. Throws as make_scene() does.
SampledScene sampled_scene(const Case& planned);

}  // namespace aqbench
