#pragma once
// The last lines of a command that leaves a bundle.

#include <cstdio>
#include <filesystem>
#include <string>

#include "core/error.h"

namespace aqbench::cli {

// Verifies a bundle at once, while its command can still be repeated, and prints to `stream` where its page is
// and the command to go on with, if any. Returns `code`, or what is graver: regression if the bundle does not
// verify.
ExitCode report_bundle(const std::filesystem::path& bundle, std::FILE* stream, ExitCode code,
                       const std::string& next = "");

}  // namespace aqbench::cli
