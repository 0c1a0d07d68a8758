#include "reports/content/bundle_content.h"

#include <algorithm>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "reports/content/test_run.h"

namespace aqbench {
namespace {

constexpr std::size_t kMostNoteBytes = 4000;
constexpr std::uintmax_t kMostNotesBytes = std::uintmax_t{16} << 20;

bool bundle_has(const std::filesystem::path& bundle, const char* file) {
  std::error_code error;
  return std::filesystem::exists(bundle / file, error);
}

std::vector<std::string> read_notes(const std::filesystem::path& file) {
  const std::string text = read_file(file, kMostNotesBytes);
  std::vector<std::string> notes;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    notes.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return notes;
}

}  // namespace

BundleContent read_bundle_content(const std::filesystem::path& bundle, Results results) {
  BundleContent content;
  content.results = std::move(results);
  if (bundle_has(bundle, kBaselineCopyName)) content.baseline = read_baseline(bundle / kBaselineCopyName);
  if (bundle_has(bundle, kNotesName)) content.notes = read_notes(bundle / kNotesName);
  if (bundle_has(bundle, kTestsLog)) {
    content.tests = test_result(read_file(bundle / kTestsLog));
    if (content.tests.empty()) content.tests = "cut off: tests.log has no result";
  }
  content.warnings = read_warnings(bundle);
  return content;
}

void add_notes(const std::filesystem::path& bundle, const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  std::string text = bundle_has(bundle, kNotesName) ? read_file(bundle / kNotesName, kMostNotesBytes) : "";
  for (const std::string& note : notes) text += one_line(note, kMostNoteBytes) + "\n";
  write_file(bundle / kNotesName, text);
}

}  // namespace aqbench
