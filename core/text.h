#pragma once
// Text: UTF-8, what may be shown to people and written to files, numbers and patterns.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// Returns whether the text is valid UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
bool is_valid_utf8(std::string_view text);

// Returns the text as one line for a reason or a log: control characters and line breaks become spaces,
// broken UTF-8 becomes "?", and at most `max_bytes` are kept (cut with "..." at the border of a character).
std::string one_line(std::string_view text, std::size_t max_bytes = 400);

// Returns the text with control characters and broken UTF-8 replaced by "?", so that no text from a file can
// steer a terminal.
std::string printable(std::string_view utf8);

// Returns bytes from a file as plain ASCII for a one-line message: bytes that are not printable ASCII become
// \xNN. Beyond `max_size` bytes of input the text ends in "...".
std::string escape_bytes(std::string_view bytes, std::size_t max_size = 200);

// Returns the text as it may stand in XML content and in attributes. Broken UTF-8, control characters and
// code points that XML 1.0 cannot hold become "?"; a line break stays one in attributes too (&#10;).
std::string xml_escape(std::string_view text);

// Returns the text as it may stand anywhere in Markdown, cells of tables included: no control character, no
// HTML, no markup.
std::string md_escape(std::string_view text);

// Returns the number of columns that UTF-8 text takes on a terminal: wide characters two, combining marks
// none.
std::size_t display_width(std::string_view utf8);

// Returns the text cut to at most `columns`, with "…" in the middle where something was left out.
std::string elide_middle(std::string_view utf8, std::size_t columns);

// Returns the text broken at blanks into lines of at most `columns`, those after the first indented by
// `indent` blanks; each ends with a line break. A word that is too long for a line is cut into pieces.
std::string wrap_text(std::string_view utf8, std::size_t columns, std::size_t indent);

// Returns the text with the letters A to Z as a to z.
std::string lower_case(std::string_view text);

// Returns the parts of `text` between the separators: one more part than separators, empty parts included.
std::vector<std::string_view> split_at(std::string_view text, char separator);
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split_at(Temporary&& text,
                                       char separator) = delete;  // the parts would outlive it

// Returns "1 case" or "3 cases".
std::string counted(std::size_t count, std::string_view noun);

// Returns a measured number for people: whole numbers as they are, others with five significant digits.
std::string short_number(double value);

// Returns short_number() of the value; "n/a" where there is none.
std::string short_number_or_na(const std::optional<double>& value);

// Returns bytes in MiB with two decimals, without the unit; "n/a" where there are none.
std::string mib_or_na(const std::optional<std::int64_t>& bytes);

// Returns the bytes in base64 (RFC 4648, with padding, in one line).
std::string base64_text(std::string_view bytes);

// Reads a whole word as a number, whatever the locale: "1.5", "+1", "-2e-3", "nan", "inf". Returns nullopt
// for anything else and for numbers beyond the range of the type. Numbers too small for the type become 0, as
// any writer of that type would have rounded them.
std::optional<double> parse_double(std::string_view word);
std::optional<float> parse_float(std::string_view word);

// Returns whether a shell pattern fits the whole name: * is any text (a "/" too), ? one character, [abc] one
// of them.
bool glob_matches(std::string_view pattern, std::string_view name);

// Returns whether the text is a pattern; false for a plain name.
bool has_wildcard(std::string_view pattern);

// Returns the current time as "2026-01-31T12:00:00Z". The wall clock is read once in a process; from then on
// the time since the machine started counts: a run's times fit together also where somebody sets the clock.
std::string utc_now();

}  // namespace aqbench
