#pragma once
// `aqbench ab --calibrate`.

#include <filesystem>

#include "harness/cli/ab_options.h"
#include "harness/cli/command.h"
#include "reports/ab_document.h"

namespace aqbench::cli {

ExitCode calibrate(const AbRequest& request, const Arguments& arguments);

// Notes the false-alarm rate of a calibration's bundle and gives its case its own tau. document.environment
// must be filled. Throws Error(verification) if the bundle does not verify, Error(not_comparable) naming what
// differs if it is of another machine.
void apply_calibration(const std::filesystem::path& bundle, AbDocument& document);

}  // namespace aqbench::cli
