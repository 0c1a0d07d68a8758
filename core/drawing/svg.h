#pragma once
// Small pieces of SVG for charts. Colours come from style classes, so one style sheet serves light and dark.

#include <string>
#include <string_view>

namespace aqbench {

// Returns the style sheet of the classes that a chart may use: t (title), s (small text), axis, level, good,
// bad, bar, bar2, box, dot.
std::string_view chart_style();

// Each returns one element. Positions and lengths are in pixels, y points down. `style` is a class name,
// except for a rectangle, where it is an attribute: class="bar" or fill="#123456".
std::string svg_text(double x, double y, const char* anchor, std::string_view text, const char* style);
std::string svg_line(double x1, double y1, double x2, double y2, const char* style);
std::string svg_rect(double x, double y, double width, double height, const char* style,
                     std::string_view tooltip = "");
std::string svg_circle(double x, double y, double radius, std::string_view tooltip);

// Return a picture for a page that includes chart_style(), and a standalone one. `label` is for screen
// readers.
std::string svg_figure(double width, double height, const std::string& body, std::string_view label = "");
std::string svg_document(double width, double height, const std::string& body);

}  // namespace aqbench
