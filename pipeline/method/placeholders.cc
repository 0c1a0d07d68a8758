#include "pipeline/method/declaration.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/parameters.h"

namespace aqbench {
namespace {

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A name in braces and its position in a text.
struct Braced {
  std::string_view name;
  std::size_t end = 0;  // behind the closing brace
};

Braced braced_at(std::string_view text, std::size_t at, std::string_view open, std::string_view close) {
  if (!text.substr(at).starts_with(open)) return {};
  std::size_t end = at + open.size();
  while (end < text.size() && is_name_letter(text[end])) ++end;
  const std::string_view name = text.substr(at + open.size(), end - at - open.size());
  if (!is_plain_name(name, false) || !text.substr(end).starts_with(close)) return {};
  return {name, end + close.size()};
}

// Calls `plain` for each character and `braced` for each placeholder.
template <class Plain, class Name>
void walk(std::string_view text, const Plain& plain, const Name& braced) {
  for (std::size_t i = 0; i < text.size();) {
    if (const Braced kept = braced_at(text, i, "{{", "}}"); kept.end > 0) {
      for (const char c : text.substr(i + 1, kept.name.size() + 2)) plain(c);
      i = kept.end;
    } else if (const Braced found = braced_at(text, i, "{", "}"); found.end > 0) {
      braced(found.name);
      i = found.end;
    } else {
      plain(text[i++]);
    }
  }
}

// Returns what looks like a placeholder and is none, "slow=0.01" in braces, " output " in braces, "output"
// behind a brace; "" where there is nothing of that kind. Other braces, as of JSON, awk or a shell, are
// literal.
std::string_view malformed_in(std::string_view text, const std::vector<std::string>& known) {
  for (std::size_t at = 0; (at = text.find('{', at)) != text.npos; ++at) {
    const bool is_escaped = text.substr(at).starts_with("{{");
    if (is_escaped) ++at;
    if (is_escaped || braced_at(text, at, "{", "}").end > 0) continue;
    const std::string_view rest = text.substr(at + 1), inside = rest.substr(0, rest.find('}'));
    const auto letters = std::ranges::find_if_not(rest, is_name_letter) - rest.begin();
    const std::string_view word = rest.substr(0, static_cast<std::size_t>(letters));
    const std::string_view behind = rest.substr(word.size());
    if (std::ranges::find(known, word) != known.end() &&
        (behind.empty() || std::string_view("/ .").find(behind.front()) != text.npos))
      return word;
    const std::string_view name = inside.substr(0, inside.find('='));
    const bool has_letter = std::ranges::any_of(name, [](char c) { return is_plain_name({&c, 1}, false); });
    const std::size_t first = std::min(inside.find_first_not_of(' '), inside.size());
    const std::string_view core = inside.substr(first, inside.find_last_not_of(' ') + 1 - first);
    const bool is_word = std::ranges::all_of(core, [](char c) { return is_name_letter(c) || c == '-'; }) &&
                         (rest.find('}') == rest.npos || !near_names(core, known).empty());
    if (has_letter && inside.find_first_of("{;") == text.npos && name.find_first_of("\"':$,") == text.npos &&
        (is_word || name.size() < inside.size()))
      return inside;
  }
  return {};
}

}  // namespace

std::vector<std::string> own_placeholders() {
  return {"dataset", "output", "threads", "seed", "device", "project"};
}

std::vector<std::string> given_placeholders() { return {"scene", "seed", "method", "project"}; }

bool is_plain_name(std::string_view name, bool dashes) {
  if (name.empty() || name.size() > 64 || name.front() == '-') return false;
  if (!dashes && name.front() >= '0' && name.front() <= '9') return false;
  return std::ranges::all_of(name, [&](char c) { return is_name_letter(c) || (dashes && c == '-'); });
}

std::vector<std::string> placeholders_in(std::string_view text) {
  std::vector<std::string> names;
  walk(
      text, [](char) {},
      [&](std::string_view name) {
        if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
      });
  return names;
}

std::string with_placeholders(std::string_view text,
                              const std::vector<std::pair<std::string, std::string>>& values) {
  std::string filled;
  walk(
      text, [&](char c) { filled += c; },
      [&](std::string_view name) {
        const auto found = std::ranges::find(values, name, [](const auto& value) { return value.first; });
        filled += found == values.end() ? fmt::format("{{{}}}", name) : found->second;
      });
  return filled;
}

std::string placeholder_problem(std::string_view text, const std::vector<std::string>& known) {
  for (const std::string& name : placeholders_in(text))
    if (std::ranges::find(known, name) == known.end())
      return fmt::format("{} (write {{{{{}}}}} for a literal {{{}}})",
                         unknown_name_message("placeholder", name, known), name, name);
  const std::string_view malformed = malformed_in(text, known);
  if (malformed.empty()) return {};
  const std::size_t first = malformed.find_first_not_of(' ');
  const std::string name(malformed.substr(first, malformed.find_first_of(" =", first) - first));
  const bool is_known = std::ranges::find(known, name) != known.end();
  const bool is_closed = text.find(fmt::format("{{{}}}", malformed)) != text.npos;
  return fmt::format(
      "'{{{}{}' is no placeholder{}: {}", malformed, is_closed ? "}" : "",
      malformed.find('=') == malformed.npos ? ""
                                            : " (a default stands in \"parameters\"; for init: {NAME=VALUE})",
      is_known ? fmt::format("did you mean {{{}}}?", name) : unknown_name_message("name", name, known));
}

}  // namespace aqbench
