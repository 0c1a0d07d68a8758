#pragma once
// Texts that very many values have in common, such as names and units of metrics: the process keeps each
// different one once.

#include <compare>
#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace aqbench {

class InternedText;

// Any type that reads as text by itself: std::string, std::string_view, a literal.
template <class T>
concept PlainText = !std::same_as<T, InternedText> && std::convertible_to<const T&, std::string_view>;

// A text as the address of the one copy that the process keeps of it. Copies cost nothing, and all orders are
// those of the bytes. What was kept once is never given back, so that every InternedText is valid for as long
// as the process is: use it for texts that repeat. Texts of files may all differ; they then take about as
// much memory as the file, which its reader limits. Threads may make them at the same time.
class InternedText {
 public:
  constexpr InternedText() = default;  // the empty text
  InternedText(std::string_view text);
  InternedText(const std::string& text) : InternedText(std::string_view(text)) {}
  InternedText(const char* text) : InternedText(std::string_view(text)) {}

  // Return the text. What they refer to lives to the end of the process.
  const std::string& text() const;
  operator const std::string&() const { return text(); }
  operator std::string_view() const { return text(); }

  bool empty() const { return text_ == nullptr; }
  bool starts_with(std::string_view start) const { return text().starts_with(start); }
  bool ends_with(std::string_view end) const { return text().ends_with(end); }

  // Compare texts, whichever copies they are: a module of the program keeps copies of its own.
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

  // Return both texts, one after the other.
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

// Let the standard algorithms compare an InternedText with other texts.
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
