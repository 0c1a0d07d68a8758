#pragma once
// Charts as PDF files with lines and text, not pixels.

#include <string>
#include <string_view>

namespace aqbench {

// Returns a chart of the elements of core/drawing/svg.h as a PDF file of one page (PDF 1.4), on white, with
// the light colours of chart_style(). One pixel of the chart is 0.75 points. Text stands in Helvetica, which
// every reader has and the file does not hold; a character that is not in Latin-1 becomes "?". The same chart
// gives the same bytes. Throws std::logic_error for any other element or class.
std::string pdf_of_svg(std::string_view svg);

}  // namespace aqbench
