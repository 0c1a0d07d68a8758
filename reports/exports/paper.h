#pragma once
// A bundle's results for papers and other programs: tables, charts and coloured clouds.

#include <map>
#include <string>
#include <vector>

#include "core/drawing/drawing.h"
#include "harness/records/results.h"
#include "harness/viewing/cloud_view.h"
#include "reports/document/document.h"

namespace aqbench {

// Returns every value of every case, one on each line:
// "case,scene,method,status,metric,value,unit,better,reason" (RFC 4180). Numbers are unrounded; an undefined
// value is empty and has its reason.
std::string results_csv(const Results& results);

// What a LaTeX table has: these metrics, all that tables show if there are none, and other names for methods,
// scenes and columns.
struct LatexOptions {
  std::vector<std::string> metrics = {};
  std::map<std::string, std::string> names = {};
};

// Returns for each metric a LaTeX table of the package booktabs with a row for each method, a column for each
// scene and their mean; of a single scene one table of methods and metrics. The best of each column is bold,
// the second underlined. Throws Error(usage) for a metric that no table of these results shows.
std::string results_latex(const Results& results, const LatexOptions& options = {});

// Returns a cloud as a binary PLY file: x, y, z (float, metres, world frame), red, green, blue by the signed
// error with the ends of the colours at +-limit_mm, and error_mm (float).
std::string error_ply(const CloudView& view, double limit_mm);

// Draws a chart: a row for each of its rows, at most 60; the others are counted.
Drawing drawing_of(const Chart& chart);

}  // namespace aqbench
