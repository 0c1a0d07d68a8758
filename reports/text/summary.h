#pragma once
// Results for people: summary.md of a bundle and the table at the end of a sweep. Pure functions of what a
// bundle holds, so that `aqbench verify` can render again and compare bytes.

#include <optional>
#include <string>
#include <string_view>

#include "harness/records/results.h"
#include "reports/content/bundle_content.h"

namespace aqbench {

// Goes up with every change of what render_summary(), statement_text(), inventory_text() or the report write,
// so that `aqbench verify` of a later build does
// not take an older file for a forged one. It stands in the first line.
inline constexpr int kSummaryVersion = 5;

// Of a summary's text; nullopt where the first line does not say (builds before version 2).
std::optional<int> summary_version(std::string_view text);

// Markdown: run, digests, environment, what it showed in sentences, a row per case, current against baseline
// where it was gated, times (cold, mean and standard deviation, throughput), mean and standard deviation
// across seeds, failures with their reasons, warnings in the logs, notes, how to reproduce. Undefined values
// are "n/a" with their reason.
std::string render_summary(const BundleContent& content);

// The table of `aqbench sweep` on stdout: a row per scene x method (and swept axes), mean over its seeds, and
// under it the standard deviation where there are several seeds; then what failed. At most 100 columns.
std::string render_sweep_table(const Results& results, bool colours = false);

}  // namespace aqbench
