#pragma once
// summary.md of a bundle.

#include <string>
#include <vector>

#include "reports/content/bundle_content.h"
#include "reports/content/case_groups.h"

namespace aqbench {

// Returns summary.md, as Markdown. It depends on nothing but `content`, so that `aqbench verify` can render
// it again and compare the bytes. It holds: run, digests and environment; the narrative; a row for each case;
// the values against the baseline where the run was gated; times (cold, mean and standard deviation,
// throughput); what programs used; mean and standard deviation over seeds; failures with their reasons;
// injected faults; warnings in the logs; notes; how to reproduce the run. An undefined value is "n/a" with
// its reason.
std::string render_summary(const BundleContent& content);

// Returns a Markdown table of these groups of cases: mean and standard deviation of each metric, and of the
// times.
std::string seeds_table(const std::vector<CaseGroup>& groups, bool with_times);

// Returns a Markdown table of the cases with warm runs or a throughput; "" without any.
std::string times_table(const Results& results);

}  // namespace aqbench
