#pragma once
// A chart as a list of shapes, and the chart as SVG. Positions and lengths are in pixels, y grows downwards.
// How a shape looks is a class of chart_style(), so that one style sheet serves light and dark, or of a
// rectangle a colour, "#123456".

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aqbench {

// One shape.
struct Shape {
  enum class Kind { text, line, rect, circle };
  Kind kind = Kind::line;
  double x = 0, y = 0;    // of a text or the begin of a line, the upper left corner or the centre
  double x2 = 0, y2 = 0;  // the end of a line
  double width = 0, height = 0, radius = 0;
  std::string look;
  std::string text = {};  // of a text; else what a page says of the shape under the mouse, "" for nothing
  const char* anchor = "start";  // what of a text stands at x: its start, middle or end
};

// A chart. `label` is what screen readers say of it.
struct Drawing {
  double width = 0, height = 0;
  std::vector<Shape> shapes = {};
  std::string label = {};
};

// Return a shape of each kind.
inline Shape text_shape(double x, double y, const char* anchor, std::string text, std::string look) {
  return {.kind = Shape::Kind::text,
          .x = x,
          .y = y,
          .look = std::move(look),
          .text = std::move(text),
          .anchor = anchor};
}
inline Shape line_shape(double x1, double y1, double x2, double y2, std::string look) {
  return {.kind = Shape::Kind::line, .x = x1, .y = y1, .x2 = x2, .y2 = y2, .look = std::move(look)};
}
inline Shape rect_shape(double x, double y, double width, double height, std::string look,
                        std::string tooltip = "") {
  return {.kind = Shape::Kind::rect,
          .x = x,
          .y = y,
          .width = width,
          .height = height,
          .look = std::move(look),
          .text = std::move(tooltip)};
}
inline Shape circle_shape(double x, double y, double radius, std::string look, std::string tooltip) {
  return {.kind = Shape::Kind::circle,
          .x = x,
          .y = y,
          .radius = radius,
          .look = std::move(look),
          .text = std::move(tooltip)};
}

// Returns the style sheet of the classes that a chart may use: t (title), s (small text), axis, level, good,
// bad, bar, bar2, box, dot.
std::string_view chart_style();

// Return a picture for a page that includes chart_style(), and a standalone one.
std::string svg_figure(const Drawing& drawing);
std::string svg_document(const Drawing& drawing);

}  // namespace aqbench
