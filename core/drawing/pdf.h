#pragma once
// Charts as vector PDF files.

#include <string>

#include "core/drawing/drawing.h"

namespace aqbench {

// Returns a chart as a one-page PDF (1.4) on white, in the light colours of chart_style(). One pixel is 0.75
// points. Text is set in Helvetica, which readers provide and the file does not embed; characters outside
// Latin-1 become "?". Output is deterministic. Throws std::logic_error for a class missing in chart_style().
std::string pdf_of(const Drawing& drawing);

}  // namespace aqbench
