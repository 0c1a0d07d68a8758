#pragma once
// Results for people: summary.md of a bundle and the table at the end of a sweep. Pure functions of Results,
// so that `aqbench verify` can render again and compare bytes.

#include <optional>
#include <string>
#include <string_view>

#include "reports/results.h"

namespace aqbench {

// Goes up with every change of what render_summary() writes, so that `aqbench verify` of a later build does
// not take an older summary for a forged one. It stands in the first line.
inline constexpr int kSummaryVersion = 2;

// Of a summary's text; nullopt where the first line does not say (builds before version 2).
std::optional<int> summary_version(std::string_view text);

// Markdown: run, digests, environment, a row per case, mean and standard deviation across seeds, failures
// with their reasons, what is simulated, how to reproduce. Undefined values are "n/a" with their reason.
std::string render_summary(const Results& results);

// The table of `aqbench sweep` on stdout: a row per scene x method (and swept axes), mean over its seeds, and
// under it the standard deviation where there are several seeds; then what failed. At most 100 columns.
std::string render_sweep_table(const Results& results, bool colours = false);

}  // namespace aqbench
