#pragma once
// `aqbench ab --calibrate`.

#include <filesystem>

#include "cli/ab_options.h"
#include "cli/command.h"
#include "harness/ab/document.h"

namespace aqbench::cli {

ExitCode calibrate(const AbRequest& request, const Arguments& arguments);

// Notes the false-alarm rate of a calibration's bundle, and gives its case its own tau where it runs with the
// same options, threads and number of warm runs (a note says what differs otherwise). document.environment,
// .run and .samples.cases must be filled. Throws Error(verification) if the bundle does not verify,
// Error(not_comparable) naming what differs if it is of another machine.
void apply_calibration(const std::filesystem::path& bundle, const PlanRequest& request, AbDocument& document);

}  // namespace aqbench::cli
