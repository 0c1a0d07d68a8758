#pragma once
// Charts as PDF files with lines and text, not pixels.

#include <string>

#include "core/drawing/drawing.h"

namespace aqbench {

// Returns a chart as a PDF file of one page (PDF 1.4), on white, with the light colours of chart_style(). One
// pixel of the chart is 0.75 points. Text stands in Helvetica, which every reader has and the file does not
// hold; a character that is not in Latin-1 becomes "?". The same chart gives the same bytes. Throws
// std::logic_error for a class that chart_style() does not have.
std::string pdf_of(const Drawing& drawing);

}  // namespace aqbench
