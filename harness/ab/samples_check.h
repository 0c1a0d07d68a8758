#pragma once
// Checks whether samples can be what units gave, for readers who cannot run the units again.

#include <string>
#include <vector>

#include "harness/ab/samples.h"

namespace aqbench {

// Returns the contradictions in the units, one line each, "units[3]: ...": a unit that ended well without
// cold time, output hash or as many warm runs as planned (0: at most one), stages that take longer by
// themselves than the run, a reason without a failure and a failure without one. Units of commands have a
// cold time only where runs were thrown away.
std::vector<std::string> sample_problems(const AbSamples& samples, int warm_runs, bool cold_runs = true);

// What is known of how outputs were scored.
struct AbScoring {
  bool usual_lengths = false;  // by the lengths that are the defaults
  bool methods_alone = false;  // every case is one of a method: none of a workload
  bool known_names = false;    // by a program with the same registry
};

// Returns what cannot be true in the metrics of outputs, one line each, "outputs[1]: ...": an output without
// metrics, what metric_problems() finds in those of a method, and names that are no metrics of what ran. An
// output is of a method where nothing is known if it has tiles or one metric of the registry.
std::vector<std::string> output_problems(const AbSamples& samples, const AbScoring& scoring);

// Returns what cannot be true in the outcomes of units, one line each: one that is not judged, and values
// that its metric cannot have. `same_input`: all units of a case look at the same input, so that the same
// output has the same metrics.
std::vector<std::string> outcome_problems(const AbSamples& samples, const std::vector<AbOutcome>& judged,
                                          bool same_input);

// Returns the time that all units took together, without what lies between the runs.
double measured_s(const AbSamples& samples);

// Returns whether the registry has a compared metric with this name, unit and direction.
bool is_as_registered(const AbOutcome& metric);

}  // namespace aqbench
