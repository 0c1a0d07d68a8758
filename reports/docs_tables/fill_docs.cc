#include "reports/docs_tables/fill_docs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "core/error.h"
#include "core/parameters.h"

namespace aqbench {
namespace {

constexpr std::string_view kMarkerLead = "<!-- aqbench:";
constexpr std::string_view kMarkerTail = " -->";

std::string_view without_blanks(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\n'))
    line.remove_suffix(1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  return line;
}

// The words of a marker, empty for any other line without blanks.
std::vector<std::string> marker_words(std::string_view line) {
  if (!line.starts_with(kMarkerLead) || !line.ends_with(kMarkerTail)) return {};
  line.remove_prefix(kMarkerLead.size());
  line.remove_suffix(kMarkerTail.size());
  std::istringstream stream{std::string(line)};
  return {std::istream_iterator<std::string>(stream), {}};
}

// `place` is "FILE:LINE" of its marker.
std::string render(const DocsSections& sections, const std::vector<std::string>& words,
                   const std::string& place) {
  const auto section = sections.find(words[0]);
  if (section == sections.end()) {
    std::vector<std::string> names;
    for (const auto& [name, render] : sections) names.push_back(name);
    throw input_error("{}: {}", place, unknown_name_message("section", words[0], names));
  }
  try {
    return section->second({words.begin() + 1, words.end()});
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}: {}", place, words[0], error.what()));
  }
}

}  // namespace

FilledDocs fill_docs(std::string_view text, const std::string& file, const DocsSections& sections) {
  FilledDocs filled;
  std::vector<std::string> open;  // the words of the section that has begun, in line `start`
  std::string old;
  std::size_t number = 0, start = 0;
  bool fenced = false;
  const auto place = [&](std::size_t line) { return fmt::format("{}:{}", file, line); };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    const std::string_view bare = without_blanks(line);
    text.remove_prefix(line.size());
    ++number;
    if (open.empty() && bare.starts_with("```")) fenced = !fenced;
    const auto words = fenced ? std::vector<std::string>() : marker_words(bare);
    if (words.empty() && !open.empty()) {
      old += line;
      continue;
    }
    if (!words.empty() && words[0] == "end") {
      if (open.empty()) throw input_error("{}: ends a section that has not begun", place(number));
      const std::string fresh = render(sections, open, place(start));
      ++filled.sections;
      if (fresh != old) {
        const auto same = std::count(old.begin(), std::ranges::mismatch(old, fresh).in1, '\n');
        filled.changes.push_back({start + 1 + static_cast<std::size_t>(same), open[0]});
      }
      filled.text += fresh;
      open.clear();
      old.clear();
    } else if (!words.empty()) {
      if (!open.empty())
        throw input_error("{}: section {} begins inside section {}", place(number), words[0], open[0]);
      open = words;
      start = number;
    }
    filled.text += line;
  }
  if (!open.empty()) throw input_error("{}: section {} has no '<!-- aqbench:end -->'", place(start), open[0]);
  return filled;
}

}  // namespace aqbench
