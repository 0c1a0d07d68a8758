#include "core/drawing/drawing.h"

#include <fmt/format.h>

#include "core/text.h"

namespace aqbench {
namespace {

std::string titled(std::string_view tooltip, const char* element) {
  return tooltip.empty() ? "/>" : fmt::format("><title>{}</title></{}>", xml_escape(tooltip), element);
}

std::string svg_open(const Drawing& drawing) {
  const std::string name =
      drawing.label.empty() ? "" : fmt::format(" aria-label=\"{}\"", xml_escape(drawing.label));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" role=\"img\"{2}>",
      drawing.width, drawing.height, name);
}

std::string svg_element(const Shape& shape) {
  const std::string look =
      fmt::format("{}=\"{}\"", shape.look.starts_with('#') ? "fill" : "class", shape.look);
  switch (shape.kind) {
    case Shape::Kind::text:
      return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>", shape.x, shape.y,
                         shape.anchor, look, xml_escape(shape.text));
    case Shape::Kind::line:
      return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>", shape.x,
                         shape.y, shape.x2, shape.y2, look);
    case Shape::Kind::rect:
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}{}", shape.x,
                         shape.y, shape.width, shape.height, look, titled(shape.text, "rect"));
    case Shape::Kind::circle:
      break;
  }
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}{}", shape.x, shape.y, shape.radius,
                     look, titled(shape.text, "circle"));
}

std::string svg_elements(const Drawing& drawing) {
  std::string body;
  for (const Shape& shape : drawing.shapes) body += svg_element(shape);
  return body;
}

}  // namespace

std::string_view chart_style() {
  return "svg{font:12px system-ui,sans-serif;max-width:100%;height:auto}svg "
         ".t{fill:#1b1f24;font-weight:600}svg .s{fill:#57606a;font-size:11px}svg "
         ".axis{stroke:#8c959f;stroke-width:1}svg .level{stroke:#0969da;stroke-width:2}svg "
         ".good{stroke:#1a7f37;stroke-width:2;stroke-dasharray:4 3}svg "
         ".bad{stroke:#cf222e;stroke-width:2;stroke-dasharray:4 3}svg .bar{fill:#0969da}svg "
         ".bar2{fill:#8250df}svg .box{fill:#ddf4ff;stroke:#0969da}svg .dot{fill:#0969da}@media "
         "(prefers-color-scheme:dark){svg .t{fill:#e6edf3}svg .s{fill:#9198a1}svg .axis{stroke:#656c76}svg "
         ".level{stroke:#58a6ff}svg .bar{fill:#58a6ff}svg .bar2{fill:#bc8cff}svg .dot{fill:#58a6ff}svg "
         ".box{fill:#12304f;stroke:#58a6ff}svg .good{stroke:#3fb950}svg .bad{stroke:#f85149}}";
}

std::string svg_figure(const Drawing& drawing) {
  return svg_open(drawing) + svg_elements(drawing) + "</svg>\n";
}

std::string svg_document(const Drawing& drawing) {
  return svg_open(drawing) +
         fmt::format(
             "<style>svg{{background:#fff}}@media "
             "(prefers-color-scheme:dark){{svg{{background:#0d1117}}}}{}</style>",
             chart_style()) +
         svg_elements(drawing) + "</svg>\n";
}

}  // namespace aqbench
