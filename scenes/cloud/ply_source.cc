#include "scenes/cloud/ply_source.h"

#include <fmt/format.h>

#include <charconv>

#include "core/error.h"
#include "core/text.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {
namespace {

bool is_ply_blank(char character) { return character == ' ' || character == '\t' || character == '\r'; }

}  // namespace

void fail_ply(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", name, escape_bytes(what)), name);
}

void PlyBinarySource::fail(const PlyProperty& property, const std::string& what) const {
  fail_ply(name_, fmt::format("{} {}, property {}: {}", element_->name, record_, property.name, what));
}

void PlyBinarySource::fail_truncated(const PlyProperty& property) const {
  fail(property, fmt::format("the file ends here ({} of {} records read)", record_, element_->count));
}

void PlyBinarySource::expect_end() const {
  if (!is_filling({position_, bytes_left()}))
    fail_ply(name_,
             fmt::format("{} bytes after the last element: the header's counts are wrong", bytes_left()));
}

void PlyAsciiSource::fail(const PlyProperty& property, const std::string& what) const {
  fail_ply(name_, fmt::format("line {}: {} {}, property {}: {}", line_, element_->name, record_,
                              property.name, what));
}

void PlyAsciiSource::begin_record(const PlyElement& element, std::uint64_t record) {
  element_ = &element;
  record_ = record;
  if (!next_line())
    fail_ply(name_,
             fmt::format("the file ends after {} of {} {} records", record, element.count, element.name));
}

void PlyAsciiSource::end_record() {
  if (const std::string_view word = next_word(); !word.empty())
    fail_ply(name_, fmt::format("line {}: {} {}: '{}' is more than its properties", line_, element_->name,
                                record_, word));
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
    fail_ply(name_, fmt::format("line {}: '{}' after the last element: the header's counts are wrong", line_,
                                next_word()));
}

void PlyAsciiSource::fail_line(const std::string& what) const {
  fail_ply(name_, fmt::format("line {}: {}", line_ + 1, what));
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
  std::int64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [last, status] = std::from_chars(word.data(), end, value);
  if (status != std::errc{} || last != end || value < least || value > most)
    fail(property, fmt::format("'{}' is not an integer from {} to {}", word, least, most));
  return static_cast<double>(value);
}

}  // namespace aqbench
