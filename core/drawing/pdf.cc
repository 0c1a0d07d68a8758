#include "core/drawing/pdf.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/drawing/svg.h"
#include "core/text.h"

namespace aqbench {
namespace {

using SvgAttributes = std::map<std::string, std::string, std::less<>>;

constexpr double kPointsPerPixel = 0.75;

[[noreturn]] void fail(std::string_view what) { throw std::logic_error(fmt::format("pdf_of_svg: {}", what)); }

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

std::string unescaped(std::string_view xml) {
  std::string text;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    const std::size_t end = xml[i] == '&' ? xml.find(';', i) : xml.npos;
    if (end == xml.npos) {
      text += xml[i];
      continue;
    }
    const std::string_view name = xml.substr(i + 1, end - i - 1);
    text += name == "amp" ? '&' : name == "lt" ? '<' : name == "gt" ? '>' : name == "quot" ? '"' : ' ';
    if (name == "apos" || name == "#39") text.back() = '\'';
    i = end;
  }
  return text;
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
SvgAttributes class_style(std::string_view name) {
  const std::string_view all = chart_style(), light = all.substr(0, all.find("@media"));
  const std::string rule = fmt::format("svg .{}{{", name);
  const std::size_t begin = light.find(rule);
  if (begin == light.npos) fail(fmt::format("unknown class '{}'", name));
  const std::string_view body =
      light.substr(begin + rule.size(), light.find('}', begin) - begin - rule.size());
  SvgAttributes style;
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

double number(const SvgAttributes& attributes, const char* name) {
  const auto found = attributes.find(name);
  const auto value = found == attributes.end() ? std::nullopt : parse_double(found->second);
  if (!value) fail(fmt::format("{}: not a number", name));
  return *value;
}

// Sets colours and lines; returns the operator that paints with them.
std::string painted(const SvgAttributes& attributes, std::string& page) {
  SvgAttributes style;
  if (const auto name = attributes.find("class"); name != attributes.end()) style = class_style(name->second);
  for (const char* const key : {"fill", "stroke"})
    if (const auto found = attributes.find(key); found != attributes.end()) style[key] = found->second;
  const bool fills = style.contains("fill") && style["fill"] != "none", strokes = style.contains("stroke");
  if (fills) page += colour(style["fill"]) + "rg ";
  if (strokes) page += colour(style["stroke"]) + "RG ";
  page += fmt::format("{} w [{}] 0 d\n", style.contains("stroke-width") ? style["stroke-width"] : "1",
                      style.contains("stroke-dasharray") ? style["stroke-dasharray"] : "");
  return fills && strokes ? "B" : fills ? "f" : strokes ? "S" : "n";
}

void draw_text(const SvgAttributes& attributes, std::string_view content, std::string& page) {
  const auto name = attributes.find("class");
  SvgAttributes style = name == attributes.end() ? SvgAttributes{} : class_style(name->second);
  const bool bold = style.contains("font-weight");
  const double size = style.contains("font-size") ? std::stod(style["font-size"]) : 12;
  const std::string text = latin1(unescaped(content));
  const auto anchor = attributes.find("text-anchor");
  const double share = anchor == attributes.end() || anchor->second == "start" ? 0
                       : anchor->second == "middle"                            ? 0.5
                                                                               : 1;
  page += fmt::format("BT {}rg /{} {} Tf 1 0 0 -1 {:.2f} {:.2f} Tm {} Tj ET\n",
                      colour(style.contains("fill") ? style["fill"] : "#000000"), bold ? "F2" : "F1", size,
                      number(attributes, "x") - share * text_width(text, size), number(attributes, "y"),
                      pdf_string(text));
}

void draw_shape(std::string_view element, const SvgAttributes& attributes, std::string& page) {
  const auto at = [&](const char* name) { return number(attributes, name); };
  const std::string paint = painted(attributes, page);
  if (element == "rect") {
    page += fmt::format("{} {} {} {} re {}\n", at("x"), at("y"), at("width"), at("height"), paint);
  } else if (element == "line") {
    page += fmt::format("{} {} m {} {} l S\n", at("x1"), at("y1"), at("x2"), at("y2"));
  } else {
    const double x = at("cx"), y = at("cy"), r = at("r"), k = 0.5523 * r;  // four Bezier curves
    page += fmt::format("{:.3f} {:.3f} m ", x + r, y);
    const double turn[4][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    double from[2] = {1, 0};
    for (const auto& to : turn) {
      page += fmt::format("{:.3f} {:.3f} {:.3f} {:.3f} {:.3f} {:.3f} c ", x + r * from[0] + k * to[0],
                          y + r * from[1] + k * to[1], x + r * to[0] + k * from[0],
                          y + r * to[1] + k * from[1], x + r * to[0], y + r * to[1]);
      from[0] = to[0];
      from[1] = to[1];
    }
    page += paint + "\n";
  }
}

SvgAttributes attributes_of(std::string_view tag) {
  SvgAttributes found;
  for (std::size_t at = 0; (at = tag.find("=\"", at)) != tag.npos;) {
    const std::size_t name = tag.find_last_of(" \n", at) + 1, end = tag.find('"', at + 2);
    if (end == tag.npos) fail("unterminated attribute");
    found[std::string(tag.substr(name, at - name))] = unescaped(tag.substr(at + 2, end - at - 2));
    at = end + 1;
  }
  return found;
}

// Objects and their offsets in the PDF file.
std::string pdf_file(double width, double height, const std::string& page) {
  const std::string font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>";
  const std::vector<std::string> objects = {
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      fmt::format(
          "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 4 0 R /Resources << /Font << /F1 "
          "5 0 R /F2 6 0 R >> >> >>",
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

std::string pdf_of_svg(std::string_view svg) {
  double width = 0, height = 0;
  std::string page;
  for (std::size_t at = 0; (at = svg.find('<', at)) != svg.npos;) {
    const std::size_t end = svg.find('>', at);
    if (end == svg.npos) fail("unterminated element");
    const std::string_view tag = svg.substr(at + 1, end - at - 1);
    const std::string_view element = tag.substr(0, tag.find_first_of(" /\n"));
    at = end + 1;
    if (tag.front() == '/') continue;
    if (element == "style" || element == "title") {  // not drawn, nor is its content
      at = svg.find("</", at);
    } else if (element == "svg") {
      const SvgAttributes attributes = attributes_of(tag);
      width = number(attributes, "width");
      height = number(attributes, "height");
      page = fmt::format("{0} 0 0 -{0} 0 {1} cm\n", kPointsPerPixel, height * kPointsPerPixel);
    } else if (element == "text") {
      draw_text(attributes_of(tag), svg.substr(at, svg.find('<', at) - at), page);
    } else if (element == "rect" || element == "line" || element == "circle") {
      draw_shape(element, attributes_of(tag), page);
    } else {
      fail(fmt::format("unknown element '{}'", element));
    }
  }
  if (page.empty()) fail("svg element is missing");
  return pdf_file(width, height, page);
}

}  // namespace aqbench
