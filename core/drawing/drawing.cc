#include "core/drawing/drawing.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

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

using Style = std::map<std::string, std::string, std::less<>>;

constexpr double kPointsPerPixel = 0.75;

[[noreturn]] void fail(std::string_view what) { throw std::logic_error(fmt::format("pdf_of: {}", what)); }

// Advance widths of Helvetica in 1/1000 of its size, from blank to tilde (from its AFM file).
constexpr std::array<int, 95> kHelvetica = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

double text_width(std::string_view latin1, double size) {
  double width = 0;
  for (const char c : latin1)
    width += c >= ' ' && c <= '~' ? kHelvetica[static_cast<std::size_t>(c - ' ')] : 556;
  return width * size / 1000;
}

std::string latin1(std::string_view utf8) {
  std::string text;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(utf8[i]);
    if (byte < 0x80) {
      text += utf8[i];
      continue;
    }
    const int more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
    const std::uint32_t code = more == 1 && i + 1 < utf8.size()
                                   ? (byte & 0x1FU) << 6 | (static_cast<std::uint8_t>(utf8[i + 1]) & 0x3FU)
                                   : 0;
    text += code >= 0xA0 && code <= 0xFF ? static_cast<char>(code) : '?';
    i += static_cast<std::size_t>(more);
  }
  return text;
}

std::string pdf_string(std::string_view latin1) {
  std::string text = "(";
  for (const char c : latin1) {
    if (c == '(' || c == ')' || c == '\\') text += '\\';
    text += static_cast<std::uint8_t>(c) < ' ' ? ' ' : c;
  }
  return text + ")";
}

// Returns the declarations of a class in the light part of chart_style().
Style class_style(std::string_view name) {
  const std::string_view all = chart_style(), light = all.substr(0, all.find("@media"));
  const std::string rule = fmt::format("svg .{}{{", name);
  const std::size_t begin = light.find(rule);
  if (begin == light.npos) fail(fmt::format("unknown class '{}'", name));
  const std::string_view body =
      light.substr(begin + rule.size(), light.find('}', begin) - begin - rule.size());
  Style style;
  for (const std::string_view one : split_at(body, ';'))
    if (const std::size_t colon = one.find(':'); colon != one.npos)
      style[std::string(one.substr(0, colon))] = std::string(one.substr(colon + 1));
  return style;
}

std::string colour(const std::string& hex) {
  if (hex.size() != 7 || hex[0] != '#') fail(fmt::format("'{}' is not a colour", hex));
  std::string text;
  for (const std::size_t at : {1, 3, 5})
    text += fmt::format("{:.3f} ", std::stoi(hex.substr(at, 2), nullptr, 16) / 255.0);
  return text;
}

Style style_of(const Shape& shape) {
  return shape.look.starts_with('#') ? Style{{"fill", shape.look}} : class_style(shape.look);
}

// Sets colours and lines; returns the operator that paints with them.
std::string painted(const Shape& shape, std::string& page) {
  Style style = style_of(shape);
  const bool fills = style.contains("fill") && style["fill"] != "none", strokes = style.contains("stroke");
  if (fills) page += colour(style["fill"]) + "rg ";
  if (strokes) page += colour(style["stroke"]) + "RG ";
  page += fmt::format("{} w [{}] 0 d\n", style.contains("stroke-width") ? style["stroke-width"] : "1",
                      style.contains("stroke-dasharray") ? style["stroke-dasharray"] : "");
  return fills && strokes ? "B" : fills ? "f" : strokes ? "S" : "n";
}

void draw_text(const Shape& shape, std::string& page) {
  Style style = style_of(shape);
  const bool bold = style.contains("font-weight");
  const double size = style.contains("font-size") ? std::stod(style["font-size"]) : 12;
  const std::string text = latin1(shape.text);
  const std::string_view anchor = shape.anchor;
  const double share = anchor == "start" ? 0 : anchor == "middle" ? 0.5 : 1;
  page += fmt::format("BT {}rg /{} {} Tf 1 0 0 -1 {:.2f} {:.2f} Tm {} Tj ET\n",
                      colour(style.contains("fill") ? style["fill"] : "#000000"), bold ? "F2" : "F1", size,
                      shape.x - share * text_width(text, size), shape.y, pdf_string(text));
}

// Draws four Bezier curves.
void draw_circle(const Shape& shape, const std::string& paint, std::string& page) {
  const double x = shape.x, y = shape.y, r = shape.radius, k = 0.5523 * r;
  page += fmt::format("{:.3f} {:.3f} m ", x + r, y);
  const double turn[4][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
  double from[2] = {1, 0};
  for (const auto& to : turn) {
    page += fmt::format("{:.3f} {:.3f} {:.3f} {:.3f} {:.3f} {:.3f} c ", x + r * from[0] + k * to[0],
                        y + r * from[1] + k * to[1], x + r * to[0] + k * from[0], y + r * to[1] + k * from[1],
                        x + r * to[0], y + r * to[1]);
    from[0] = to[0];
    from[1] = to[1];
  }
  page += paint + "\n";
}

void draw_shape(const Shape& shape, std::string& page) {
  if (shape.kind == Shape::Kind::text) return draw_text(shape, page);
  const std::string paint = painted(shape, page);
  if (shape.kind == Shape::Kind::rect)
    page += fmt::format("{:.6g} {:.6g} {:.6g} {:.6g} re {}\n", shape.x, shape.y, shape.width, shape.height,
                        paint);
  else if (shape.kind == Shape::Kind::line)
    page += fmt::format("{:.6g} {:.6g} m {:.6g} {:.6g} l S\n", shape.x, shape.y, shape.x2, shape.y2);
  else
    draw_circle(shape, paint, page);
}

// Objects and their offsets in the PDF file.
std::string pdf_file(double width, double height, const std::string& page) {
  const std::string font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>";
  const std::vector<std::string> objects = {
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 4 0 R /Resources << /Font << "
                  "/F1 5 0 R /F2 6 0 R >> >> >>",
                  width * kPointsPerPixel, height * kPointsPerPixel),
      fmt::format("<< /Length {} >>\nstream\n{}endstream", page.size(), page),
      fmt::format(fmt::runtime(font), "Helvetica"),
      fmt::format(fmt::runtime(font), "Helvetica-Bold")};
  std::string file = "%PDF-1.4\n", offsets;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    offsets += fmt::format("{:010} 00000 n \n", file.size());
    file += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
  }
  const std::size_t table = file.size(), count = objects.size() + 1;
  return file + fmt::format(
                    "xref\n0 {0}\n0000000000 65535 f \n{1}trailer\n<< /Size {0} /Root 1 0 R >>\n"
                    "startxref\n{2}\n%%EOF\n",
                    count, offsets, table);
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

std::string pdf_of(const Drawing& drawing) {
  std::string page =
      fmt::format("{0} 0 0 -{0} 0 {1} cm\n", kPointsPerPixel, drawing.height * kPointsPerPixel);
  for (const Shape& shape : drawing.shapes) draw_shape(shape, page);
  return pdf_file(drawing.width, drawing.height, page);
}

}  // namespace aqbench
