#pragma once
// How the cases of a scene are scored where the defaults, which fit a tank of half a metre, do not. A
// recording's own truth.json says it for that recording (scenes/dataset/truth_entry.h).

#include <vector>

#include "core/parameters.h"
#include "harness/records/case.h"
#include "metrics/score_options.h"

namespace aqbench {

// Owner of these parameters in --set, --axis and suites: "scoring.outlier_mm".
inline constexpr const char* kScoringOwner = "scoring";

// Returns the parameters thresholds_mm (lengths with commas between them), outlier_mm, spacing_mm and
// tile_mm; their defaults are those of ScoreOptions.
const std::vector<ParameterSpec>& scoring_parameters();

// Returns whether an override of the case says how it is scored.
bool says_how_to_score(const Case& planned);

// Returns how the case is scored, by its overrides of owner scoring. Throws Error(usage) naming the parameter
// for a value that makes no sense.
ScoreOptions case_score_options(const Case& planned);

}  // namespace aqbench
