#include "core/drawing/drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// Every kind of shape that charts have, once.
Drawing chart() {
  return {400,
          200,
          {text_shape(10, 20, "start", "A (title) & \\ <b>", "t"),
           text_shape(390, 40, "end", "right \u00b1 5 \u2192", "s"), line_shape(10, 60, 390, 60, "axis"),
           line_shape(10, 70, 390, 70, "bad"), rect_shape(10, 80, 100, 50, "#ff0000", "a <tooltip>"),
           rect_shape(120, 80, 100, 50, "box"), circle_shape(300, 105, 20, "dot", "x")}};
}

TEST(Svg, HasTheShapesOfTheChart) {
  const std::string svg = svg_figure(chart());
  EXPECT_THAT(svg, HasSubstr("<text x=\"10.0\" y=\"20.0\" text-anchor=\"start\" class=\"t\">A (title) &amp; "
                             "\\ &lt;b&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr("<line x1=\"10.0\" y1=\"70.0\" x2=\"390.0\" y2=\"70.0\" class=\"bad\"/>"));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"10.0\" y=\"80.0\" width=\"100.0\" height=\"50.0\" fill=\"#ff0000\">"
                             "<title>a &lt;tooltip&gt;</title></rect>"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"300.0\" cy=\"105.0\" r=\"20.0\" class=\"dot\"><title>x"));
  EXPECT_THAT(svg_document(chart()), HasSubstr("<style>svg{background:#fff}"));
}

}  // namespace
}  // namespace aqbench
