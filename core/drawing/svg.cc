#include "core/drawing/svg.h"

#include <fmt/format.h>

#include "core/text.h"

namespace aqbench {
namespace {

std::string titled(std::string_view tooltip, const char* element) {
  return tooltip.empty() ? "/>" : fmt::format("><title>{}</title></{}>", xml_escape(tooltip), element);
}

std::string svg_open(double width, double height, std::string_view label = "") {
  const std::string name = label.empty() ? "" : fmt::format(" aria-label=\"{}\"", xml_escape(label));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "role=\"img\"{2}>",
      width, height, name);
}

}  // namespace

std::string_view chart_style() {
  return "svg{font:12px system-ui,sans-serif;max-width:100%;height:auto}"
         "svg .t{fill:#1b1f24;font-weight:600}svg .s{fill:#57606a;font-size:11px}"
         "svg .axis{stroke:#8c959f;stroke-width:1}svg .level{stroke:#0969da;stroke-width:2}"
         "svg .good{stroke:#1a7f37;stroke-width:2;stroke-dasharray:4 3}"
         "svg .bad{stroke:#cf222e;stroke-width:2;stroke-dasharray:4 3}"
         "svg .bar{fill:#0969da}svg .bar2{fill:#8250df}svg .box{fill:#ddf4ff;stroke:#0969da}svg "
         ".dot{fill:#0969da}"
         "@media (prefers-color-scheme:dark){svg .t{fill:#e6edf3}svg .s{fill:#9198a1}svg "
         ".axis{stroke:#656c76}"
         "svg .level{stroke:#58a6ff}svg .bar{fill:#58a6ff}svg .bar2{fill:#bc8cff}svg .dot{fill:#58a6ff}"
         "svg .box{fill:#12304f;stroke:#58a6ff}svg .good{stroke:#3fb950}svg .bad{stroke:#f85149}}";
}

std::string svg_text(double x, double y, const char* anchor, std::string_view text, const char* style) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>", x, y,
                     anchor, style, xml_escape(text));
}

std::string svg_line(double x1, double y1, double x2, double y2, const char* style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>", x1, y1,
                     x2, y2, style);
}

std::string svg_rect(double x, double y, double width, double height, const char* style,
                     std::string_view tooltip) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}{}", x, y, width,
                     height, style, titled(tooltip, "rect"));
}

std::string svg_circle(double x, double y, double radius, std::string_view tooltip) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"dot\"{}", x, y, radius,
                     titled(tooltip, "circle"));
}

std::string svg_figure(double width, double height, const std::string& body, std::string_view label) {
  return svg_open(width, height, label) + body + "</svg>\n";
}

std::string svg_document(double width, double height, const std::string& body) {
  return svg_open(width, height) +
         fmt::format(
             "<style>svg{{background:#fff}}@media "
             "(prefers-color-scheme:dark){{svg{{background:#0d1117}}}}{}</style>",
             chart_style()) +
         body + "</svg>\n";
}

}  // namespace aqbench
