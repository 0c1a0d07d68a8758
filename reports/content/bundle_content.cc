#include "reports/content/bundle_content.h"

#include <algorithm>
#include <cctype>

#include "core/files.h"
#include "core/text.h"
#include "reports/content/test_run.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxNoteBytes = 4000;
constexpr std::uintmax_t kMaxNotesBytes = std::uintmax_t{16} << 20;

bool bundle_has(const std::filesystem::path& bundle, const char* file) {
  std::error_code error;
  return std::filesystem::exists(bundle / file, error);
}

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view lower_line, std::string_view word) {
  for (std::size_t at = 0; (at = lower_line.find(word, at)) != lower_line.npos; ++at) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_character(lower_line[at - 1])) &&
        (end == lower_line.size() || !is_word_character(lower_line[end])))
      return true;
  }
  return false;
}

// Of bench.log and tests.log, where they exist.
std::vector<LogWarning> read_warnings(const std::filesystem::path& bundle) {
  std::vector<LogWarning> warnings;
  for (const char* const file : {"bench.log", "tests.log"}) {
    std::error_code error;
    if (!std::filesystem::exists(bundle / file, error)) continue;
    for (LogWarning& warning : warnings_of_log(read_log_file(bundle / file), file))
      warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace

void set_baseline(BundleContent& content, Baseline baseline) {
  content.gated = gate(content.results, baseline);
  content.baseline = std::move(baseline);
}

BundleContent read_bundle_content(const std::filesystem::path& bundle, Results results) {
  BundleContent content;
  content.results = std::move(results);
  read_beside_results(bundle, content);
  return content;
}

void read_beside_results(const std::filesystem::path& bundle, BundleContent& content) {
  if (bundle_has(bundle, kBaselineCopyName)) set_baseline(content, read_baseline(bundle / kBaselineCopyName));
  if (bundle_has(bundle, kNotesName)) content.notes = read_notes(bundle / kNotesName);
  if (bundle_has(bundle, kTestsLog)) {
    content.tests = test_result(read_log_file(bundle / kTestsLog));
    if (content.tests.empty()) content.tests = "cut off: tests.log has no result";
  }
  content.warnings = read_warnings(bundle);
}

std::vector<std::string> read_notes(const std::filesystem::path& file) {
  const std::string text = read_text_file(file, kMaxNotesBytes);
  std::vector<std::string> notes;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    notes.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return notes;
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += one_line(note, kMaxNoteBytes) + "\n";
  return text;
}

void add_notes(const std::filesystem::path& bundle, const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  const std::string text =
      bundle_has(bundle, kNotesName) ? read_file(bundle / kNotesName, kMaxNotesBytes) : "";
  write_file(bundle / kNotesName, text + notes_text(notes));
}

std::vector<LogWarning> warnings_of_log(std::string_view log, const std::string& file) {
  constexpr std::size_t kMaxBytes = 200;
  std::vector<LogWarning> warnings;
  for (std::size_t number = 1; !log.empty(); ++number) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    std::string lower(line);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (has_word(lower, "warning") || has_word(lower, "warn"))
      warnings.push_back({file, number, one_line(line, kMaxBytes)});
  }
  return warnings;
}

}  // namespace aqbench
