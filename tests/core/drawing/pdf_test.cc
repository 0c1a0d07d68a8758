#include "core/drawing/drawing.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/files.h"
#include "core/processes/process.h"
#include "tests/temporary_directory.h"

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

TEST(Pdf, HasItsObjectsWhereItsTableSays) {
  const std::string pdf = pdf_of(chart());
  EXPECT_TRUE(pdf.starts_with("%PDF-1.4\n"));
  const std::size_t table = std::stoul(pdf.substr(pdf.find("startxref\n") + 10));
  ASSERT_EQ(pdf.substr(table, 5), "xref\n");
  for (int i = 1; i <= 6; ++i) {
    const std::size_t line = table + std::string("xref\n0 7\n").size() + 20 * static_cast<std::size_t>(i);
    const std::string begin = fmt::format("{} 0 obj\n", i);
    EXPECT_EQ(pdf.substr(std::stoul(pdf.substr(line, 10)), begin.size()), begin);
  }
  const std::size_t stream = pdf.find("stream\n") + 7;
  EXPECT_THAT(pdf, HasSubstr(fmt::format("/Length {} ", pdf.find("endstream") - stream)));
  EXPECT_THAT(pdf, HasSubstr("/MediaBox [0 0 300 150]"));
  EXPECT_EQ(pdf, pdf_of(chart()));
}

TEST(Pdf, DrawsInTheLightColoursOfTheChart) {
  const std::string pdf = pdf_of(chart());
  EXPECT_THAT(pdf, HasSubstr("(A \\(title\\) & \\\\ <b>) Tj"));
  EXPECT_THAT(pdf, HasSubstr("(right \xb1 5 ?) Tj"));
  EXPECT_THAT(pdf, HasSubstr("1.000 0.000 0.000 rg 1 w [] 0 d\n10 80 100 50 re f"));
  EXPECT_THAT(pdf, HasSubstr("0.867 0.957 1.000 rg 0.035 0.412 0.855 RG 1 w [] 0 d\n120 80 100 50 re B"));
  EXPECT_THAT(pdf, HasSubstr("0.812 0.133 0.180 RG 2 w [4 3] 0 d\n10 70 m 390 70 l S"));
  EXPECT_THAT(pdf, ::testing::Not(HasSubstr("tooltip")));
}

TEST(Pdf, RefusesAClassMissingInTheStyle) {
  EXPECT_THROW(pdf_of({9, 9, {line_shape(0, 0, 1, 1, "unknown")}}), std::logic_error);
}

TEST(Svg, HasTheSameShapes) {
  const std::string svg = svg_figure(chart());
  EXPECT_THAT(svg, HasSubstr("<text x=\"10.0\" y=\"20.0\" text-anchor=\"start\" class=\"t\">A (title) &amp; "
                             "\\ &lt;b&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr("<line x1=\"10.0\" y1=\"70.0\" x2=\"390.0\" y2=\"70.0\" class=\"bad\"/>"));
  EXPECT_THAT(svg, HasSubstr("<rect x=\"10.0\" y=\"80.0\" width=\"100.0\" height=\"50.0\" fill=\"#ff0000\">"
                             "<title>a &lt;tooltip&gt;</title></rect>"));
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"300.0\" cy=\"105.0\" r=\"20.0\" class=\"dot\"><title>x"));
  EXPECT_THAT(svg_document(chart()), HasSubstr("<style>svg{background:#fff}"));
}

TEST(Pdf, AReaderFindsItsPixelsAndItsText) {
  if (find_in_path("pdftoppm") == "pdftoppm")
    GTEST_SKIP() << "no pdftoppm in PATH: apt-get install poppler-utils";
  const TemporaryDirectory folder;
  write_file(folder / "chart.pdf", pdf_of(chart()));
  const std::string file = (folder / "chart.pdf").string();
  // At 96 dots per inch a pixel of the chart is one of the picture.
  ASSERT_TRUE(ask_program({"pdftoppm", "-r", "96", "-singlefile", file, (folder / "chart").string()}, 30).ok);
  const std::string ppm = read_file(folder / "chart.ppm");
  const std::string head = "P6\n400 200\n255\n";
  ASSERT_EQ(ppm.substr(0, head.size()), head);
  const auto pixel = [&](int x, int y) {
    const std::size_t at = head.size() + 3 * static_cast<std::size_t>(y * 400 + x);
    return fmt::format("{:02x}{:02x}{:02x}", static_cast<unsigned char>(ppm[at]),
                       static_cast<unsigned char>(ppm[at + 1]), static_cast<unsigned char>(ppm[at + 2]));
  };
  EXPECT_EQ(pixel(60, 100), "ff0000");
  EXPECT_EQ(pixel(170, 100), "ddf4ff");
  EXPECT_EQ(pixel(300, 105), "0969da");  // inside of the circle,
  EXPECT_EQ(pixel(300, 122), "0969da");
  EXPECT_EQ(pixel(317, 122), "ffffff");  // outside of it, inside of its square
  EXPECT_EQ(pixel(60, 160), "ffffff");
  const ProgramAnswer text = ask_program({"pdftotext", file, "-"}, 30);
  ASSERT_TRUE(text.ok) << text.problem;
  EXPECT_THAT(text.output, HasSubstr("A (title) & \\ <b>"));
}

}  // namespace
}  // namespace aqbench
