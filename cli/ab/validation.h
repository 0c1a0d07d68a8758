#pragma once
// `aqbench ab --calibrate` and `--live`: comparisons of this program with itself (harness/ab/validation.h).

#include "cli/ab/options.h"
#include "cli/ab/sides.h"
#include "harness/ab/document.h"

namespace aqbench::cli {

// Plans the comparisons of one case, and fills document.run, .a, .b and .samples.cases. Throws Error(usage)
// where not exactly one case is chosen.
AbSides plan_validation(const AbRequest& request, int cancel_descriptor, AbDocument& document);

// Takes from a bundle of --calibrate what it says of this machine: a note, and the tau of its case if that
// runs here with the same options, threads and number of warm runs (else a note says what differs).
// document.environment, .run and .samples.cases must be filled. Throws Error(verification) if the bundle does
// not verify, Error(not_comparable) naming what differs if it is of another machine.
void apply_validation(const std::filesystem::path& bundle, const PlanRequest& request, AbDocument& document);

}  // namespace aqbench::cli
