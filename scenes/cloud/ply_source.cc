#include "scenes/cloud/ply_source.h"

#include <cmath>
#include <initializer_list>
#include <limits>

#include "core/text.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {
namespace {

// The names of the types, in the order of PlyScalar.
constexpr std::string_view kPlyScalarNames[][2] = {
    {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
    {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};

// In the order of PlyFormat.
constexpr std::string_view kPlyFormatNames[] = {"ascii", "binary_little_endian", "binary_big_endian"};

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
    throw input_error.of_file(name_, "line {}: {}", line_, escape_bytes(what));
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
        throw input_error.of_file(name_,
                                  "element {}: faces are read under the names face (with a list "
                                  "vertex_indices) and tristrips alone",
                                  escape_bytes(element.name));
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
    // A carriage return is no blank here: a transfer as text has changed the numbers behind the header, too.
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
    const auto* const format = std::ranges::find(kPlyFormatNames, words[1]);
    if (format == std::end(kPlyFormatNames)) fail(fmt::format("unknown format '{}'", words[1]));
    header_.format = static_cast<PlyFormat>(format - std::begin(kPlyFormatNames));
    if (words[2] != "1.0") fail(fmt::format("unknown PLY version '{}'", words[2]));
    has_format_ = true;
  }

  void parse_element(const std::vector<std::string_view>& words) {
    if (words.size() != 3) fail("expected 'element NAME COUNT'");
    PlyElement element{std::string(words[1]), 0, {}};
    const auto count = parse_whole<std::uint64_t>(words[2]);
    if (!count) fail(fmt::format("element {}: '{}' is not a count", element.name, words[2]));
    element.count = *count;
    if (std::ranges::find(header_.elements, element.name, &PlyElement::name) != header_.elements.end())
      fail(fmt::format("a second element '{}'", element.name));
    header_.elements.push_back(std::move(element));
  }

  PlyScalar scalar_type(std::string_view word) const {
    const auto* const found = std::ranges::find_if(
        kPlyScalarNames, [&](const auto& names) { return word == names[0] || word == names[1]; });
    if (found == std::end(kPlyScalarNames)) fail(fmt::format("unknown type '{}'", word));
    return static_cast<PlyScalar>(found - std::begin(kPlyScalarNames));
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

bool is_ply_blank(char character) { return character == ' ' || character == '\t' || character == '\r'; }

}  // namespace

std::size_t ply_scalar_size(PlyScalar type) {
  constexpr std::size_t kBytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return kBytes[static_cast<std::size_t>(type)];
}

std::optional<PlyScalar> ply_scalar_of(char kind, std::size_t bytes) {
  if (kind == 'f' && bytes == 8) return PlyScalar::float64;
  if (kind == 'f') return bytes == 4 ? std::optional(PlyScalar::float32) : std::nullopt;
  if (bytes == 1) return kind == 'i' ? PlyScalar::int8 : PlyScalar::uint8;
  if (bytes == 2) return kind == 'i' ? PlyScalar::int16 : PlyScalar::uint16;
  if (bytes == 4) return kind == 'i' ? PlyScalar::int32 : PlyScalar::uint32;
  return std::nullopt;
}

bool ply_scalar_is_integer(PlyScalar type) {
  return type != PlyScalar::float32 && type != PlyScalar::float64;
}

int PlyElement::find(std::string_view property) const {
  const auto found = std::ranges::find(properties, property, &PlyProperty::name);
  return found == properties.end() ? -1 : static_cast<int>(found - properties.begin());
}

void make_unit_length(std::span<Vec3> normals) {
  for (Vec3& normal : normals) {
    const double square = normal.squaredNorm();
    if (std::abs(square - 1) <= 4 * std::numeric_limits<double>::epsilon()) continue;
    if (square > 0 && std::isfinite(square))
      normal /= std::sqrt(square);
    else
      normal.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

PlyHeader parse_ply_header(std::string_view bytes, const std::string& name) {
  return PlyHeaderParser(bytes, name).parse();
}

void PlyBinarySource::fail(const PlyProperty& property, const std::string& what) const {
  fail_ply(name_, "{} {}, property {}: {}", element_->name, record_, property.name, what);
}

void PlyBinarySource::fail_truncated(const PlyProperty& property) const {
  fail(property, fmt::format("the file ends here ({} of {} records read)", record_, element_->count));
}

void PlyBinarySource::expect_end() const {
  if (!is_filling({position_, bytes_left()}))
    fail_ply(name_, "{} bytes after the last element: the header's counts are wrong", bytes_left());
}

void PlyAsciiSource::fail(const PlyProperty& property, const std::string& what) const {
  fail_ply(name_, "line {}: {} {}, property {}: {}", line_, element_->name, record_, property.name, what);
}

void PlyAsciiSource::begin_record(const PlyElement& element, std::uint64_t record) {
  element_ = &element;
  record_ = record;
  if (!next_line())
    fail_ply(name_, "the file ends after {} of {} {} records", record, element.count, element.name);
}

void PlyAsciiSource::end_record() {
  if (const std::string_view word = next_word(); !word.empty())
    fail_ply(name_, "line {}: {} {}: '{}' is more than its properties", line_, element_->name, record_, word);
}

double PlyAsciiSource::number(const PlyProperty& property, PlyScalar type) {
  const std::string_view word = next_word();
  if (word.empty()) fail(property, "the line ends before it");
  if (type == PlyScalar::float64) {
    if (const auto value = parse_double(word)) return *value;
  } else if (type == PlyScalar::float32) {
    if (const auto value = parse_float(word)) return *value;
  } else {
    return integer(property, type, word);
  }
  fail(property, fmt::format("'{}' is not a {} precision number", word,
                             type == PlyScalar::float64 ? "double" : "single"));
}

void PlyAsciiSource::skip_items(const PlyProperty& property, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) number(property, property.type);
}

void PlyAsciiSource::expect_end() {
  if (next_line())
    fail_ply(name_, "line {}: '{}' after the last element: the header's counts are wrong", line_,
             next_word());
}

void PlyAsciiSource::fail_line(const std::string& what) const {
  fail_ply(name_, "line {}: {}", line_ + 1, what);
}

bool PlyAsciiSource::has_line() {
  if (!next_line()) return false;
  position_ = word_;  // back to its first word
  --line_;
  return true;
}

bool PlyAsciiSource::next_line() {
  while (position_ != end_) {
    ++line_;
    const void* const found = std::memchr(position_, line_end_, static_cast<std::size_t>(end_ - position_));
    word_ = position_;
    stop_ = found != nullptr ? static_cast<const char*>(found) : end_;
    position_ = stop_ == end_ ? end_ : stop_ + 1;
    skip_blanks();
    if (word_ != stop_) return true;
  }
  return false;
}

void PlyAsciiSource::skip_blanks() {
  while (word_ != stop_ && is_ply_blank(*word_)) ++word_;
}

std::string_view PlyAsciiSource::next_word() {
  skip_blanks();
  const char* const first = word_;
  while (word_ != stop_ && !is_ply_blank(*word_)) ++word_;
  return {first, word_};
}

double PlyAsciiSource::integer(const PlyProperty& property, PlyScalar type, std::string_view word) const {
  const bool is_signed = type == PlyScalar::int8 || type == PlyScalar::int16 || type == PlyScalar::int32;
  const auto bits = static_cast<int>(8 * ply_scalar_size(type));
  const std::int64_t least = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t most = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const auto value = parse_whole<std::int64_t>(word);
  if (!value || *value < least || *value > most)
    fail(property, fmt::format("'{}' is not an integer from {} to {}", word, least, most));
  return static_cast<double>(*value);
}

}  // namespace aqbench
