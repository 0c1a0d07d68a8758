#pragma once
// A comparison of two builds, methods or commands as one page.

#include <map>
#include <string>

#include "harness/ab/report.h"

namespace aqbench {

// Returns the page: the verdict on each case and on each metric and cost, with its reason; for the case that
// is chosen the distribution of both sides' values, the ratio (or difference) of each pair with the interval
// of the shift, and the units in the order in which they ran; how metrics of the outputs differ; where on the
// surface B is worse; stages; all lines of summary.md. What is invalid or failed is shown as well, first and
// with its reason. It needs no other file and depends on the arguments alone; `report` is
// judge_ab(document), `tiles` are those of its bundle (read_ab_tiles()).
std::string ab_page(const AbDocument& document, const AbReport& report,
                    const std::map<std::string, std::string>& tiles = {});

}  // namespace aqbench
