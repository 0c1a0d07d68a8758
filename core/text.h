#pragma once
// Text: UTF-8, escaping for terminals and files, numbers and patterns.

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"

namespace aqbench {

// Returns whether the text is valid UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
bool is_valid_utf8(std::string_view text);

// Returns the text as one line for a reason or a log: control characters and line breaks become spaces,
// broken UTF-8 becomes "?", and at most `max_bytes` are kept (cut with "..." at a character boundary).
std::string one_line(std::string_view text, std::size_t max_bytes = 400);

// Returns the text with control characters and broken UTF-8 replaced by "?", so that text from a file cannot
// steer a terminal.
std::string printable(std::string_view utf8);

// Returns bytes from a file as ASCII for a one-line message: other bytes become \xNN. After `max_size` input
// bytes the text ends in "...".
std::string escape_bytes(std::string_view bytes, std::size_t max_size = 200);

// Returns Error(input) "NAME: TEXT" for a text that quotes bytes of a file: they are escaped.
template <class... Args>
Error unreadable(const std::string& name, fmt::format_string<Args...> text, Args&&... args) {
  return input_error("{}: {}", name, escape_bytes(fmt::format(text, std::forward<Args>(args)...)));
}

// Returns the text escaped for XML content and attributes. Broken UTF-8, control characters and code points
// outside XML 1.0 become "?"; line breaks are kept, in attributes too (&#10;).
std::string xml_escape(std::string_view text);

// Returns the text escaped for Markdown, table cells included: no control characters, HTML or markup.
std::string md_escape(std::string_view text);

// Returns the width of UTF-8 text on a terminal in columns: wide characters two, combining marks none.
std::size_t display_width(std::string_view utf8);

// Returns the text cut to at most `columns`, with "…" in place of the middle.
std::string elide_middle(std::string_view utf8, std::size_t columns);

// Returns the text wrapped at blanks into lines of at most `columns`, indented by `indent` blanks after the
// first; each ends with a line break. A number and its unit stay together. Longer words are split, behind a
// slash where there is one.
std::string wrap_text(std::string_view utf8, std::size_t columns, std::size_t indent);

// Returns "; write 0.5 with a decimal point" for "0,5", a number with a decimal comma, else "".
std::string decimal_comma_note(std::string_view text);

// Returns the text with A to Z in lower case.
std::string lower_case(std::string_view text);

// Returns the parts of `text` between the separators, empty parts included: one more than separators.
std::vector<std::string_view> split_at(std::string_view text, char separator);
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split_at(Temporary&& text,
                                       char separator) = delete;  // the parts would dangle

// Returns "1 case" or "3 cases".
std::string counted(std::size_t count, std::string_view noun);

// Returns a measured number for display: whole numbers unchanged, others with five significant digits.
std::string short_number(double value);

// Returns short_number() of the value; "n/a" if it is missing.
std::string short_number_or_na(const std::optional<double>& value);

// Returns bytes in MiB with two decimals, without the unit; "n/a" if missing.
std::string mib_or_na(const std::optional<std::int64_t>& bytes);

// Returns the bytes in base64 (RFC 4648, padded, one line).
std::string base64_text(std::string_view bytes);

// Parses a whole word as std::from_chars() does: a whole number is digits, of a signed type also a minus
// before them. Returns nullopt for anything else and for overflow.
template <class Number>
std::optional<Number> parse_whole(std::string_view word) {
  Number value{};
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// Parses a whole word as a number in any locale: "1.5", "+1", "-2e-3", "nan", "inf". Returns nullopt for
// anything else and for overflow. Underflow becomes 0, as a writer of that type would have rounded it.
std::optional<double> parse_double(std::string_view word);
std::optional<float> parse_float(std::string_view word);

// Returns whether a shell pattern matches the whole name: * is any text ("/" too), ? one character, [abc] one
// of them.
bool glob_matches(std::string_view pattern, std::string_view name);

// Returns whether the text contains pattern characters.
bool has_wildcard(std::string_view pattern);

// Returns the current time as "2026-01-31T12:00:00Z". Reads the wall clock once per process and then adds the
// monotonic clock, so times of a run stay consistent even if the clock is set.
std::string utc_now();

// Returns whether a text has that form.
bool is_utc(std::string_view text);

}  // namespace aqbench
