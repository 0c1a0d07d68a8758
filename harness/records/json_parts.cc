#include "harness/records/json_parts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "core/error.h"

namespace aqbench {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

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
    throw Error(ErrorKind::input, fmt::format("{}: {} at byte {}", source_, what, before_ + at_), source_);
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

  void copy_string(std::string& to) {
    to += next();
    for (char c = 0; (c = next()) != '"'; to += c)
      if (c == '\\') {
        to += c;
        c = next();
      }
    to += '"';
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

// A text file read in pieces.
class PiecewiseFile {
 public:
  PiecewiseFile(std::filesystem::path path, std::uintmax_t max_bytes, ZeroBytes zero_bytes)
      : path_(std::move(path)), max_bytes_(max_bytes), zero_bytes_(zero_bytes) {
    check_size(regular_file_size(path_));
    file_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (file_.get() < 0) throw_file_error(path_, errno);
  }

  std::string_view next() {
    std::string_view bytes = read();
    const std::size_t zero = bytes.find('\0');
    if (zero == bytes.npos) return bytes;
    if (zero_bytes_ != ZeroBytes::one_at_end) refuse_zero();
    const std::string_view text = bytes.substr(0, zero + 1);
    if (bytes.find_first_not_of('\0', zero) != bytes.npos) refuse_zero();
    // Buffers what was read until the rest has been checked.
    ended_.assign(text);
    while (!(bytes = read()).empty())
      if (bytes.find_first_not_of('\0') != bytes.npos) refuse_zero();
    return ended_;
  }

 private:
  std::string_view read() {
    ssize_t got = 0;
    do got = ::read(file_.get(), piece_.data(), piece_.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) throw_file_error(path_, errno);
    check_size(read_ += static_cast<std::uintmax_t>(got));
    return {piece_.data(), static_cast<std::size_t>(got)};
  }

  void check_size(std::uintmax_t size) const {
    if (size > max_bytes_)
      throw Error(ErrorKind::input,
                  fmt::format("{}: {} bytes, more than the {} allowed", path_.string(), size, max_bytes_),
                  path_.string());
  }

  [[noreturn]] void refuse_zero() const {
    throw Error(ErrorKind::input, path_.string() + ": contains a zero byte, so it is not a text file",
                path_.string());
  }

  std::filesystem::path path_;
  std::uintmax_t max_bytes_, read_ = 0;
  ZeroBytes zero_bytes_;
  Descriptor file_;
  std::vector<char> piece_ = std::vector<char>(kPieceBytes);
  std::string ended_;  // the last piece, with one of its zero bytes
};

}  // namespace

Json text_json(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string indented_json(const Json& json, std::size_t level) {
  const std::string flat = json.dump(1, ' ', false, Json::error_handler_t::replace);
  if (level == 0) return flat;
  std::string text;
  text.reserve(flat.size() + flat.size() / 4);
  for (const char c : flat) {  // texts contain no line breaks
    text += c;
    if (c == '\n') text.append(level, ' ');
  }
  return text;
}

ReadBytes bytes_of_file(const std::filesystem::path& path, std::uintmax_t max_bytes, ZeroBytes zero_bytes) {
  const auto file = std::make_shared<PiecewiseFile>(path, max_bytes, zero_bytes);
  return [file] { return file->next(); };
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

}  // namespace aqbench
