#pragma once
// Charts as SVG.

#include <string>
#include <string_view>

#include "core/drawing/drawing.h"

namespace aqbench {

// Returns the style sheet of the classes that a chart may use: t (title), s (small text), axis, level, good,
// bad, bar, bar2, box, dot.
std::string_view chart_style();

// Return a picture for a page that includes chart_style(), and a standalone one.
std::string svg_figure(const Drawing& drawing);
std::string svg_document(const Drawing& drawing);

}  // namespace aqbench
