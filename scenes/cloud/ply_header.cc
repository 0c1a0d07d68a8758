#include "scenes/cloud/ply_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr std::array<std::pair<std::string_view, PlyScalar>, 16> kPlyScalarNames{{
    {"char", PlyScalar::int8},
    {"uchar", PlyScalar::uint8},
    {"short", PlyScalar::int16},
    {"ushort", PlyScalar::uint16},
    {"int", PlyScalar::int32},
    {"uint", PlyScalar::uint32},
    {"float", PlyScalar::float32},
    {"double", PlyScalar::float64},
    {"int8", PlyScalar::int8},
    {"uint8", PlyScalar::uint8},
    {"int16", PlyScalar::int16},
    {"uint16", PlyScalar::uint16},
    {"int32", PlyScalar::int32},
    {"uint32", PlyScalar::uint32},
    {"float32", PlyScalar::float32},
    {"float64", PlyScalar::float64},
}};

// Reads the header line by line.
class PlyHeaderParser {
 public:
  PlyHeaderParser(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  PlyHeader parse() {
    detect_line_end();
    while (true) {
      const std::vector<std::string_view> words = next_line();
      if (words.empty()) fail("empty line in the header");
      if (words[0] == "end_header" && words.size() == 1) break;
      parse_line(words);
    }
    if (!has_format_) fail("the header has no 'format' line");
    refuse_hidden_faces();
    header_.data_offset = position_;
    header_.lines = line_;
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::input, fmt::format("{}: line {}: {}", name_, line_, escape_bytes(what)), name_);
  }

  // Faces under a name that is not read would leave their vertices as a cloud.
  void refuse_hidden_faces() const {
    const auto is_one_of = [](const std::string& name, std::initializer_list<std::string_view> names) {
      return std::ranges::find(names, lower_case(name)) != names.end();
    };
    for (const PlyElement& element : header_.elements) {
      if (element.count == 0 || is_one_of(element.name, {"vertex", "edge", "edges", "range_grid"})) continue;
      if (element.name == "face" || element.name == "tristrips") continue;
      const bool is_face =
          is_one_of(element.name, {"face", "faces", "tristrip", "tristrips", "trifan", "trifans", "polygon",
                                   "polygons", "triangle", "triangles", "tri", "tris", "quad", "quads",
                                   "facet", "facets", "cell", "cells"});
      const bool lists_vertices = std::ranges::any_of(element.properties, [&](const PlyProperty& property) {
        return property.is_list &&
               is_one_of(property.name, {"vertex_indices", "vertex_index", "vertex_indexes", "vertex_ids",
                                         "vertices", "verts", "indices"});
      });
      if (is_face || lists_vertices)
        throw Error(ErrorKind::input,
                    fmt::format("{}: element {}: faces are read under the names face (with a list "
                                "vertex_indices) and tristrips alone",
                                name_, escape_bytes(element.name)),
                    name_);
    }
  }

  void detect_line_end() {
    line_ = 1;
    if (!bytes_.starts_with("ply\n") && !bytes_.starts_with("ply\r"))
      fail("not a PLY file (the first line must be 'ply')");
    const bool old_mac = bytes_[3] == '\r' && !(bytes_.size() > 4 && bytes_[4] == '\n');
    header_.line_end = old_mac ? '\r' : '\n';
    position_ = bytes_.find(header_.line_end) + 1;
  }

  std::vector<std::string_view> next_line() {
    ++line_;
    const std::size_t end = bytes_.find(header_.line_end, position_);
    if (end == std::string_view::npos) fail("the header has no 'end_header' line");
    std::string_view line = bytes_.substr(position_, end - position_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    position_ = end + 1;
    std::vector<std::string_view> words;
    while (true) {
      const std::size_t first = line.find_first_not_of(" \t");
      if (first == std::string_view::npos) return words;
      line.remove_prefix(first);
      words.push_back(line.substr(0, line.find_first_of(" \t")));
      line.remove_prefix(words.back().size());
    }
  }

  void parse_line(const std::vector<std::string_view>& words) {
    if (words[0] == "comment" || words[0] == "obj_info") return;
    if (words[0] == "format") return parse_format(words);
    if (words[0] == "element") return parse_element(words);
    if (words[0] == "property") return parse_property(words);
    fail(fmt::format("unknown header line '{}'", words[0]));
  }

  void parse_format(const std::vector<std::string_view>& words) {
    if (has_format_) fail("a second 'format' line");
    if (words.size() != 3) fail("expected 'format TYPE 1.0'");
    if (words[1] == "ascii") {
      header_.format = PlyFormat::ascii;
    } else if (words[1] == "binary_little_endian") {
      header_.format = PlyFormat::binary_little_endian;
    } else if (words[1] == "binary_big_endian") {
      header_.format = PlyFormat::binary_big_endian;
    } else {
      fail(fmt::format("unknown format '{}'", words[1]));
    }
    if (words[2] != "1.0") fail(fmt::format("unknown PLY version '{}'", words[2]));
    has_format_ = true;
  }

  void parse_element(const std::vector<std::string_view>& words) {
    if (words.size() != 3) fail("expected 'element NAME COUNT'");
    PlyElement element{std::string(words[1]), 0, {}};
    const char* const end = words[2].data() + words[2].size();
    const auto [last, status] = std::from_chars(words[2].data(), end, element.count);
    if (status != std::errc{} || last != end)
      fail(fmt::format("element {}: '{}' is not a count", element.name, words[2]));
    if (std::ranges::find(header_.elements, element.name, &PlyElement::name) != header_.elements.end())
      fail(fmt::format("a second element '{}'", element.name));
    header_.elements.push_back(std::move(element));
  }

  PlyScalar scalar_type(std::string_view word) const {
    const auto* const found =
        std::ranges::find(kPlyScalarNames, word, &std::pair<std::string_view, PlyScalar>::first);
    if (found == kPlyScalarNames.end()) fail(fmt::format("unknown type '{}'", word));
    return found->second;
  }

  void parse_property(const std::vector<std::string_view>& words) {
    if (header_.elements.empty()) fail("a property before the first element");
    const bool is_list = words.size() > 1 && words[1] == "list";
    if (words.size() != (is_list ? 5u : 3u))
      fail("expected 'property TYPE NAME' or 'property list COUNT_TYPE TYPE NAME'");
    PlyProperty property{std::string(words.back()), scalar_type(words[words.size() - 2]), is_list, {}};
    if (is_list) {
      property.count_type = scalar_type(words[2]);
      if (!ply_scalar_is_integer(property.count_type))
        fail(fmt::format("list {}: its length cannot have type {}", property.name, words[2]));
    }
    PlyElement& element = header_.elements.back();
    if (element.find(property.name) >= 0)
      fail(fmt::format("element {}: a second property '{}'", element.name, property.name));
    element.properties.push_back(std::move(property));
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t position_ = 0;
  std::size_t line_ = 0;
  bool has_format_ = false;
  PlyHeader header_;
};

}  // namespace

std::size_t ply_scalar_size(PlyScalar type) {
  switch (type) {
    case PlyScalar::int8:
    case PlyScalar::uint8:
      return 1;
    case PlyScalar::int16:
    case PlyScalar::uint16:
      return 2;
    case PlyScalar::int32:
    case PlyScalar::uint32:
    case PlyScalar::float32:
      return 4;
    case PlyScalar::float64:
      break;
  }
  return 8;
}

bool ply_scalar_is_integer(PlyScalar type) {
  return type != PlyScalar::float32 && type != PlyScalar::float64;
}

int PlyElement::find(std::string_view property) const {
  const auto found = std::ranges::find(properties, property, &PlyProperty::name);
  return found == properties.end() ? -1 : static_cast<int>(found - properties.begin());
}

PlyHeader parse_ply_header(std::string_view bytes, const std::string& name) {
  return PlyHeaderParser(bytes, name).parse();
}

}  // namespace aqbench
