#include "harness/records/json_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/sha256.h"

namespace aqbench {
namespace {

bool is_json_space(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class JsonSplitter {
 public:
  JsonSplitter(const ReadBytes& read, const std::string& source, const TakePart& take)
      : read_(read), source_(source), take_(take) {}

  // Marks the document itself (`name` is ""), whose own parts are passed on.
  void split_here() {
    skip_space();
    split_value();
    expect_end();
  }

  void split_member(std::string_view name) {
    const std::string quoted = fmt::format("\"{}\"", name);
    skip_space();
    expect('{');
    each_item('}', [&] {
      std::string key;
      copy_key(key);
      rest_ += key;
      rest_ += ':';
      skip_space();
      if (key == quoted && (peek() == '[' || peek() == '{'))
        split_value();
      else
        copy_value(rest_);
    });
    expect_end();
  }

  std::string take_rest() { return std::move(rest_); }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw input_error.of_file(source_, "{} at byte {}", what, before_ + at_);
  }

  // Returns the next byte, -1 at the end.
  int peek() {
    if (at_ == bytes_.size()) {
      before_ += at_;
      at_ = 0;
      bytes_ = read_();
    }
    return at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_]) : -1;
  }
  char next() {
    const int c = peek();
    if (c < 0) fail("the text is truncated");
    ++at_;
    return static_cast<char>(c);
  }
  void skip_space() {
    while (is_json_space(peek())) ++at_;
  }
  void expect(char c) {
    if (peek() != static_cast<unsigned char>(c)) fail("not JSON");
    rest_ += next();
  }
  void expect_end() {
    skip_space();
    if (peek() >= 0) fail("text after the document");
  }

  // Copies up to the next such character, as far as the bytes at hand reach.
  template <class IsMeant>
  void copy_up_to(const IsMeant& is_meant, std::string& to) {
    std::size_t end = at_;
    while (end < bytes_.size() && !is_meant(bytes_[end])) ++end;
    to.append(bytes_, at_, end - at_);
    at_ = end;
  }

  void copy_string(std::string& to) {
    to += next();
    for (;;) {
      copy_up_to([](char c) { return c == '"' || c == '\\'; }, to);
      const char c = next();
      to += c;
      if (c == '"') return;
      if (c == '\\') to += next();
    }
  }

  void copy_key(std::string& key) {
    if (peek() != '"') fail("no key");
    copy_string(key);
    skip_space();
    if (next() != ':') fail("a key without a value");
  }

  // Copies an object or array to its end, and anything else up to the next delimiter.
  void copy_value(std::string& to) {
    skip_space();
    const std::size_t start = to.size();
    std::size_t depth = 0;
    for (;;) {
      const int c = peek();
      if (depth == 0 && (c < 0 || c == ',' || c == ']' || c == '}' || is_json_space(c))) break;
      if (c == '"') {
        copy_string(to);
      } else {
        to += next();
        if (c == '{' || c == '[') ++depth;
        if (c == '}' || c == ']') --depth;
        if (depth > 0)
          copy_up_to([](char d) { return d == '"' || d == '{' || d == '}' || d == '[' || d == ']'; }, to);
      }
      if (depth == 0 && (c == '"' || c == '}' || c == ']')) break;
    }
    if (to.size() == start) fail("no value");
  }

  // Calls `item` at each item up to `end`, checking the commas in between.
  template <class Item>
  void each_item(char end, const Item& item) {
    skip_space();
    if (peek() == static_cast<unsigned char>(end)) return expect(end);
    for (;;) {
      item();
      skip_space();
      if (peek() == static_cast<unsigned char>(end)) return expect(end);
      if (peek() != ',') fail("expected a comma or an end");
      if (keeps_commas_) rest_ += ',';
      ++at_;
      skip_space();
    }
  }

  // Passes on the parts of the array or object that begins here.
  void split_value() {
    if (peek() != '[' && peek() != '{') fail("expected an array or an object");
    const bool is_object = peek() == '{';
    expect(is_object ? '{' : '[');
    keeps_commas_ = false;
    std::string key, value;
    each_item(is_object ? '}' : ']', [&] {
      key.clear();
      value.clear();
      if (is_object) copy_key(key);
      copy_value(value);
      take_(key, value);
    });
    keeps_commas_ = true;
  }

  const ReadBytes& read_;
  const std::string& source_;
  const TakePart& take_;
  std::string_view bytes_;
  std::size_t at_ = 0, before_ = 0;  // in bytes_; bytes before those
  bool keeps_commas_ = true;
  std::string rest_;
};

constexpr std::string_view kSealStart = R"(,"sha256":")";
constexpr std::string_view kSealEnd = R"("})";
constexpr std::size_t kHashBytes = 64;
constexpr std::size_t kSealBytes = kSealStart.size() + kHashBytes + kSealEnd.size();

// Returns the length of an escape as the library writes it; 0: the library would not write it.
std::size_t written_escape(std::string_view text) {
  if (text.size() < 2) return 0;
  if (std::string_view("\"\\bfnrt").find(text[1]) != std::string_view::npos) return 2;
  const bool control = text.size() >= 6 && text.starts_with("\\u00") && (text[4] == '0' || text[4] == '1') &&
                       std::string_view("0123456789abcdef").find(text[5]) != std::string_view::npos;
  return control ? 6 : 0;
}

}  // namespace

Json text_json(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string indented_json(const Json& json, std::size_t level) {
  const std::string flat = json.dump(1, ' ', false, Json::error_handler_t::replace);
  if (level == 0) return flat;
  std::string text;
  text.reserve(flat.size() + flat.size() / 4);
  for (std::size_t at = 0; at < flat.size();) {  // texts contain no line breaks
    const std::size_t end = std::min(flat.find('\n', at), flat.size() - 1) + 1;
    text.append(flat, at, end - at);
    if (flat[end - 1] == '\n') text.append(level, ' ');
    at = end;
  }
  return text;
}

ReadBytes bytes_of_text(std::string_view text) {
  return [text]() mutable { return std::exchange(text, {}); };
}

std::string split_json(const ReadBytes& read, std::string_view name, const std::string& source,
                       const TakePart& take) {
  JsonSplitter splitter(read, source, take);
  if (name.empty())
    splitter.split_here();
  else
    splitter.split_member(name);
  return splitter.take_rest();
}

bool is_compact_json(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) return false;
    if (!quoted || c != '\\') continue;
    const std::size_t escaped = written_escape(line.substr(i));
    if (escaped == 0) return false;
    i += escaped - 1;
  }
  return true;
}

std::string seal_line(const Json& object) { return seal_text(compact_json(object)); }

std::string seal_text(std::string text) {
  const std::string hash = sha256_hex(text);
  text.pop_back();
  text += kSealStart;
  text += hash;
  text += kSealEnd;
  return text;
}

void check_seal(std::string_view line, const std::string& place) {
  if (line.size() <= kSealBytes || !line.ends_with(kSealEnd) ||
      line.substr(line.size() - kSealBytes, kSealStart.size()) != kSealStart)
    throw_damaged(place, "its sha256 is missing at the end");
  const std::string_view given = line.substr(line.size() - kSealEnd.size() - kHashBytes, kHashBytes);
  Sha256 hash;
  hash.add(line.substr(0, line.size() - kSealBytes));
  hash.add("}");
  if (hash.hex() != given) throw_damaged(place, "its sha256 does not match");
}

Json open_sealed_line(std::string_view line, const std::string& place) {
  check_seal(line, place);
  try {
    return parse_strict_json(line, place, kMessageJson);
  } catch (const Error& error) {
    throw_damaged(place, error.what());
  }
}

void throw_damaged(const std::string& place, std::string_view what) {
  throw Error(ErrorKind::verification, fmt::format("{}: {}", place, what));
}

}  // namespace aqbench
