#pragma once
// A bundle's results for papers and other programs: tables, a chart description, coloured clouds.

#include <string>

#include "harness/records/results.h"
#include "harness/viewing/cloud_view.h"

namespace aqbench {

// Returns every value of every case, one on each line:
// "case,scene,method,status,metric,value,unit,better,reason" (RFC 4180). Numbers are unrounded; an undefined
// value is empty and has its reason.
std::string results_csv(const Results& results);

// Returns the headline metrics as a LaTeX table of the package booktabs: a row for each case, columns that no
// case fills left out. The best value of each column of at least two is bold.
std::string results_latex(const Results& results);

// Returns a Vega-Lite 5 chart with its data: a bar for each case and headline metric.
std::string results_vega(const Results& results);

// Returns a cloud as a binary PLY file: x, y, z (float, metres, world frame), red, green, blue by the signed
// error with the ends of the colours at +-limit_mm, and error_mm (float).
std::string error_ply(const CloudView& view, double limit_mm);

}  // namespace aqbench
