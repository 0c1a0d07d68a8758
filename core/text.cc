#include "core/text.h"

#include <fnmatch.h>
#include <locale.h>
#include <openssl/evp.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ctime>

namespace aqbench {
namespace {

struct Character {
  std::string_view bytes;  // as they occur in the text
  char32_t code = 0;       // U+FFFD for broken UTF-8
  bool broken() const { return code == U'\uFFFD' && bytes.size() == 1; }
};

// Returns the first character of a non-empty `text`; a broken sequence is one byte.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {text.substr(0, 1), lead};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {text.substr(0, 1), U'\uFFFD'};
  char32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {text.substr(0, 1), U'\uFFFD'};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr char32_t kLeastOfLength[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeastOfLength[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
    return {text.substr(0, 1), U'\uFFFD'};
  return {text.substr(0, length), code};
}

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  while (!text.empty()) {
    characters.push_back(first_character(text));
    text.remove_prefix(characters.back().bytes.size());
  }
  return characters;
}

// Returns the width from glibc's table, in any locale; 1 if there is no table.
std::size_t width_of(char32_t code) {
  if (code < 0x7F) return 1;
  static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (utf8 == nullptr) return 1;
  const locale_t previous = ::uselocale(utf8);
  const int width = ::wcwidth(static_cast<wchar_t>(code));
  ::uselocale(previous);
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

// Returns whether the character is C0, DEL, C1 or a mark that reorders or breaks lines.
bool steers_terminal(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x2028 || code == 0x2029;
}

// from_chars reports overflow and underflow alike; strtod and strtof distinguish them.
double out_of_range_value(const std::string& word, double) { return std::strtod(word.c_str(), nullptr); }
float out_of_range_value(const std::string& word, float) { return std::strtof(word.c_str(), nullptr); }

template <class Real>
std::optional<Real> parse_real(std::string_view word) {
  if (word.starts_with('+') && word.size() > 1 && word[1] != '-') word.remove_prefix(1);
  Real value{};
  const char* const end = word.data() + word.size();
  const auto [last, status] = std::from_chars(word.data(), end, value);
  if (last != end || word.empty()) return std::nullopt;
  if (status == std::errc{}) return value;
  if (status != std::errc::result_out_of_range) return std::nullopt;
  value = out_of_range_value(std::string(word), value);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

// Splits at single blanks, but not between a number and its unit, "4.52 mm", "± 5 %".
std::vector<std::string_view> words_of(std::string_view utf8) {
  constexpr std::size_t kUnitBytes = 4;  // with a comma or a bracket
  std::vector<std::string_view> words;
  for (const std::string_view word : split_at(utf8, ' ')) {
    const std::string_view last = words.empty() ? std::string_view() : words.back();
    const std::string_view joined(last.data(), words.empty() ? 0 : last.size() + 1 + word.size());
    const bool is_unit = word.size() <= kUnitBytes && joined.find_last_of("0123456789") + 1 == last.size();
    if (!word.empty() && !last.empty() && (last.ends_with("±") || is_unit))
      words.back() = joined;
    else
      words.push_back(word);
  }
  return words;
}

// Returns how many bytes of a word that is too long for a line stand on it: up to a slash, else as many
// characters as there is room for, one at least.
std::size_t end_of_part(std::string_view word, std::size_t room) {
  std::size_t end = 0, slash = 0, width = 0;
  for (const Character& character : characters_of(word)) {
    width += width_of(character.code);
    if (end > 0 && width > room) break;
    end += character.bytes.size();
    if (character.bytes == "/") slash = end;
  }
  return slash > 0 ? slash : end;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.broken()) return false;
    text.remove_prefix(character.bytes.size());
  }
  return true;
}

std::string one_line(std::string_view text, std::size_t max_bytes) {
  std::string line;
  while (!text.empty() && line.size() <= max_bytes) {
    const Character character = first_character(text);
    if (character.broken()) {
      line += '?';
    } else if (character.code < 0x20 || character.code == 0x7F) {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else {
      line += character.bytes;
    }
    text.remove_prefix(character.bytes.size());
  }
  if (line.size() > max_bytes) {
    std::size_t end = max_bytes > 3 ? max_bytes - 3 : 0;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
    line.resize(end);
    line += "...";
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (const Character& character : characters_of(utf8)) width += width_of(character.code);
  return width;
}

std::string printable(std::string_view utf8) {
  std::string text;
  for (const Character& character : characters_of(utf8)) {
    if (character.broken() || steers_terminal(character.code))
      text += '?';
    else
      text += character.bytes;
  }
  return text;
}

std::string elide_middle(std::string_view utf8, std::size_t columns) {
  if (display_width(utf8) <= columns) return std::string(utf8);
  if (columns == 0) return "";
  const auto characters = characters_of(utf8);
  std::size_t front_columns = columns / 2, back_columns = columns - 1 - front_columns;
  std::string front, back;
  for (const Character& character : characters) {
    const std::size_t width = width_of(character.code);
    if (width > front_columns) break;
    front_columns -= width;
    front += character.bytes;
  }
  for (auto character = characters.rbegin(); character != characters.rend(); ++character) {
    const std::size_t width = width_of(character->code);
    if (width > back_columns) break;
    back_columns -= width;
    back.insert(0, character->bytes);
  }
  return front + "…" + back;
}

std::string escape_bytes(std::string_view text, std::size_t max_size) {
  std::string result;
  for (const char character : text.substr(0, max_size)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte < 0x7f) {
      result += character;
    } else {
      result += "\\x";
      result += "0123456789abcdef"[byte >> 4];
      result += "0123456789abcdef"[byte & 15];
    }
  }
  return text.size() > max_size ? result + "..." : result;
}

std::string xml_escape(std::string_view text) {
  std::string escaped;
  for (;;) {
    const std::size_t end = text.find('\n');
    for (const char c : printable(text.substr(0, end))) {
      constexpr std::string_view kEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
      if (const std::size_t entity = std::string_view("&<>\"'").find(c); entity != text.npos)
        escaped += kEntities[entity];
      else
        escaped += c;
    }
    if (end == text.npos) break;
    escaped += "&#10;";
    text.remove_prefix(end + 1);
  }
  // Two code points that are valid UTF-8 but not XML.
  for (const std::string_view forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = 0; (at = escaped.find(forbidden, at)) != escaped.npos;)
      escaped.replace(at, forbidden.size(), 1, '?');
  return escaped;
}

std::string md_escape(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '<')
      escaped += "&lt;";
    else if (c == '&')
      escaped += "&amp;";
    else if (std::string_view("|`*[]\\").find(c) != std::string_view::npos)
      escaped += std::string("\\") + c;
    else
      escaped += c;
  }
  return escaped;
}

std::string wrap_text(std::string_view utf8, std::size_t columns, std::size_t indent) {
  std::string out, line;
  const auto end_line = [&] {
    while (line.ends_with(' ')) line.pop_back();
    out += line + '\n';
    line.assign(indent, ' ');
  };
  for (std::string_view word : words_of(utf8)) {
    if (word.data() > utf8.data()) line += ' ';
    const auto room = [&] { return columns - std::min(columns, display_width(line)); };
    // What fits no line begins here, with what stands before a slash.
    const bool begins =
        indent + display_width(word) > columns && word.substr(0, end_of_part(word, room())).ends_with('/');
    if (!begins && display_width(word) > room() && line.find_first_not_of(' ') != line.npos) end_line();
    while (display_width(word) > room()) {
      const std::size_t end = end_of_part(word, room());
      line += word.substr(0, end);
      word.remove_prefix(end);
      end_line();
    }
    line += word;
  }
  end_line();
  return out;
}

std::string decimal_comma_note(std::string_view text) {
  std::string point(text);
  if (std::ranges::count(point, ',') != 1) return {};
  std::ranges::replace(point, ',', '.');
  return parse_double(point) ? fmt::format("; write {} with a decimal point", point) : std::string();
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "not finite";
  if (std::abs(value) < 1e15 && value == std::trunc(value)) return fmt::format("{:.0f}", value);
  return std::abs(value) >= 1e5 ? fmt::format("{:.0f}", value) : fmt::format("{:.5g}", value);
}

std::string short_number_or_na(const std::optional<double>& value) {
  return value ? short_number(*value) : "n/a";
}

std::string mib_or_na(const std::optional<std::int64_t>& bytes) {
  return bytes ? fmt::format("{:.2f}", static_cast<double>(*bytes) / 0x1p20) : "n/a";
}

std::string base64_text(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // and a zero
  const auto* const from = reinterpret_cast<const unsigned char*>(bytes.data());
  auto* const to = reinterpret_cast<unsigned char*>(text.data());
  text.resize(static_cast<std::size_t>(EVP_EncodeBlock(to, from, static_cast<int>(bytes.size()))));
  return text;
}

std::optional<double> parse_double(std::string_view word) { return parse_real<double>(word); }
std::optional<float> parse_float(std::string_view word) { return parse_real<float>(word); }

bool glob_matches(std::string_view pattern, std::string_view name) {
  return ::fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), FNM_NOESCAPE) == 0;
}

bool has_wildcard(std::string_view pattern) { return pattern.find_first_of("*?[") != std::string_view::npos; }

namespace {

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return 1'000'000'000 * std::int64_t{now.tv_sec} + now.tv_nsec;
}

}  // namespace

bool is_utc(std::string_view text) {
  constexpr std::string_view shape = "0000-00-00T00:00:00Z";
  return std::equal(text.begin(), text.end(), shape.begin(), shape.end(),
                    [](char c, char at) { return at == '0' ? c >= '0' && c <= '9' : c == at; });
}

std::string utc_now() {
  static const std::int64_t kWallMinusBootNs = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
  const std::time_t now = (clock_ns(CLOCK_BOOTTIME) + kWallMinusBootNs) / 1'000'000'000;
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> buffer{};
  const std::size_t size = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {buffer.data(), size};
}

}  // namespace aqbench
