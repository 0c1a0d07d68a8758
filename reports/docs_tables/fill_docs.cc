#include "reports/docs_tables/fill_docs.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/error.h"
#include "core/parameters.h"

namespace aqbench {
namespace {

constexpr std::string_view kMarkerLead = "<!-- aqbench:";
constexpr std::string_view kMarkerTail = " -->";

std::string_view without_blanks(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  return line;
}

// The words of a marker, empty for any other line.
std::vector<std::string> marker_words(std::string_view line) {
  line = without_blanks(line);
  if (!line.starts_with(kMarkerLead) || !line.ends_with(kMarkerTail)) return {};
  line.remove_prefix(kMarkerLead.size());
  line.remove_suffix(kMarkerTail.size());
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

class DocsFiller {
 public:
  DocsFiller(std::string_view text, std::string file, const DocsSections& sections)
      : rest_(text), file_(std::move(file)), sections_(sections) {}

  FilledDocs run() {
    bool fenced = false;
    while (!rest_.empty()) {
      const std::string_view line = next_line();
      filled_.text += line;
      if (without_blanks(trimmed(line)).starts_with("```")) fenced = !fenced;
      const auto words = fenced ? std::vector<std::string>() : marker_words(trimmed(line));
      if (words.empty()) continue;
      if (words[0] == "end") fail(line_, "ends a section that has not begun");
      replace_section(words);
    }
    return std::move(filled_);
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw input_error("{}:{}: {}", file_, line, what);
  }

  static std::string_view trimmed(std::string_view line) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    return line;
  }

  // With its line break.
  std::string_view next_line() {
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end == rest_.npos ? rest_.size() : end + 1);
    rest_.remove_prefix(line.size());
    ++line_;
    return line;
  }

  std::string render(const std::vector<std::string>& words, std::size_t line) const {
    const auto section = sections_.find(words[0]);
    if (section == sections_.end()) {
      std::vector<std::string> names;
      for (const auto& [name, render] : sections_) names.push_back(name);
      fail(line, unknown_name_message("section", words[0], names));
    }
    try {
      return section->second({words.begin() + 1, words.end()});
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{}:{}: {}: {}", file_, line, words[0], error.what()));
    }
  }

  void replace_section(const std::vector<std::string>& words) {
    const std::size_t start = line_;
    std::string old;
    for (;;) {
      if (rest_.empty()) fail(start, fmt::format("section {} has no '<!-- aqbench:end -->'", words[0]));
      const std::string_view line = next_line();
      const auto inner = marker_words(trimmed(line));
      if (inner.empty()) {
        old += line;
        continue;
      }
      if (inner[0] != "end")
        fail(line_, fmt::format("section {} begins inside section {}", inner[0], words[0]));
      const std::string fresh = render(words, start);
      ++filled_.sections;
      if (fresh != old) {
        const auto differs = std::ranges::mismatch(old, fresh).in1;
        const auto lines_before = std::count(old.begin(), differs, '\n');
        filled_.changes.push_back({start + 1 + static_cast<std::size_t>(lines_before), words[0]});
      }
      filled_.text += fresh;
      filled_.text += line;
      return;
    }
  }

  std::string_view rest_;
  std::string file_;
  const DocsSections& sections_;
  std::size_t line_ = 0;
  FilledDocs filled_;
};

}  // namespace

FilledDocs fill_docs(std::string_view text, const std::string& file, const DocsSections& sections) {
  return DocsFiller(text, file, sections).run();
}

}  // namespace aqbench
