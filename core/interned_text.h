#pragma once
// Texts that many values share, such as names and units of metrics: the process keeps one copy of each.

#include <compare>
#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace aqbench {

class InternedText;

// Any type that converts to text: std::string, std::string_view, a literal.
template <class T>
concept PlainText = !std::same_as<T, InternedText> && std::convertible_to<const T&, std::string_view>;

// A text as the address of its only copy in the process. Copying is free, and comparisons are by bytes. Texts
// are never freed, so every InternedText stays valid as long as the process: use it for texts that repeat.
// Texts from a file may all differ and then take about as much memory as the file, whose size its reader
// limits. Thread-safe.
class InternedText {
 public:
  constexpr InternedText() = default;  // the empty text
  InternedText(std::string_view text);
  InternedText(const std::string& text) : InternedText(std::string_view(text)) {}
  InternedText(const char* text) : InternedText(std::string_view(text)) {}

  // Return the text; the reference stays valid until the process ends.
  const std::string& text() const;
  operator const std::string&() const { return text(); }
  operator std::string_view() const { return text(); }

  bool empty() const { return text_ == nullptr; }
  bool starts_with(std::string_view start) const { return text().starts_with(start); }
  bool ends_with(std::string_view end) const { return text().ends_with(end); }

  // Compare by content: each module of the program has its own copies.
  friend bool operator==(InternedText a, InternedText b) {
    return a.text_ == b.text_ || a.text() == b.text();
  }
  friend std::strong_ordering operator<=>(InternedText a, InternedText b) { return a.text() <=> b.text(); }
  template <PlainText T>
  friend bool operator==(InternedText a, const T& b) {
    return std::string_view(a) == std::string_view(b);
  }
  template <PlainText T>
  friend std::strong_ordering operator<=>(InternedText a, const T& b) {
    return std::string_view(a) <=> std::string_view(b);
  }

  // Return both texts concatenated.
  friend std::string operator+(std::string a, InternedText b) { return std::move(a) + b.text(); }
  template <PlainText T>
  friend std::string operator+(InternedText a, const T& b) {
    return a.text() + std::string(std::string_view(b));
  }

  friend std::ostream& operator<<(std::ostream& out, InternedText text);

 private:
  const std::string* text_ = nullptr;  // nullptr: the empty text
};

}  // namespace aqbench

// Let standard algorithms compare an InternedText with other texts.
template <>
struct std::common_type<aqbench::InternedText, std::string> {
  using type = std::string;
};
template <>
struct std::common_type<std::string, aqbench::InternedText> {
  using type = std::string;
};
template <>
struct std::common_type<aqbench::InternedText, std::string_view> {
  using type = std::string_view;
};
template <>
struct std::common_type<std::string_view, aqbench::InternedText> {
  using type = std::string_view;
};
