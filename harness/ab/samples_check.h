#pragma once
// Checks whether samples can be what units gave, for readers who cannot run the units again.

#include <string>
#include <vector>

#include "harness/ab/samples.h"

namespace aqbench {

// Returns the contradictions in the samples, one line each, "units[3]: ...": a unit that ended well without
// cold time, output hash or as many warm runs as planned (0: at most one), stages that take longer by
// themselves than the run, a reason without a failure and a failure without one; and what metric_problems()
// finds in the metrics of outputs. Units of commands have a cold time only where runs were thrown away.
std::vector<std::string> sample_problems(const AbSamples& samples, int warm_runs, bool cold_runs = true);

// Returns the time that all units took together, without what lies between the runs.
double measured_s(const AbSamples& samples);

// Returns whether the registry has a compared metric with this name, unit and direction.
bool is_as_registered(const AbOutcome& metric);

}  // namespace aqbench
