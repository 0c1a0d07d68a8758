#pragma once
// Scoring options of a scene's cases, where the defaults, made for a tank of half a metre, do not fit. A
// recording's own truth.json overrides them for that recording (scenes/dataset/truth_entry.h).

#include <vector>

#include "core/parameters.h"
#include "harness/records/case.h"
#include "metrics/score_options.h"

namespace aqbench {

// Owner of these parameters in --set, --axis and suites: "scoring.outlier_mm".
inline constexpr const char* kScoringOwner = "scoring";

// Returns the parameters thresholds_mm (comma-separated lengths), outlier_mm, spacing_mm and tile_mm;
// defaults are those of ScoreOptions.
const std::vector<ParameterSpec>& scoring_parameters();

// Returns whether an override of the case changes its scoring.
bool says_how_to_score(const Case& planned);

// Returns the case's scoring options from its overrides of owner scoring. Throws Error(usage) naming the
// parameter of an invalid value.
ScoreOptions case_score_options(const Case& planned);

}  // namespace aqbench
