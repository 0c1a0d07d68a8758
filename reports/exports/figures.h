#pragma once
// Charts as drawings, for papers.

#include "core/drawing/drawing.h"
#include "reports/document/document.h"

namespace aqbench {

// Draws a chart: a row for each of its rows, at most 60; the others are counted.
Drawing drawing_of(const Chart& chart);

}  // namespace aqbench
