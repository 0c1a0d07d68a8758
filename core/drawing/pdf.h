#pragma once
// Charts as vector PDF files.

#include <string>
#include <string_view>

namespace aqbench {

// Returns a chart made of core/drawing/svg.h elements as a one-page PDF (1.4) on white, in the light colours
// of chart_style(). One pixel is 0.75 points. Text is set in Helvetica, which readers provide and the file
// does not embed; characters outside Latin-1 become "?". Output is deterministic. Throws std::logic_error for
// any other element or class.
std::string pdf_of_svg(std::string_view svg);

}  // namespace aqbench
