#include "reports/content/log_warnings.h"

#include <algorithm>
#include <cctype>

#include "core/files.h"
#include "core/text.h"

namespace aqbench {
namespace {

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

}  // namespace

std::vector<LogWarning> find_warnings(std::string_view log, const std::string& file) {
  constexpr std::size_t kMostBytes = 200;
  std::vector<LogWarning> warnings;
  for (std::size_t number = 1; !log.empty(); ++number) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    std::string lower(line);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (has_word(lower, "warning") || has_word(lower, "warn"))
      warnings.push_back({file, number, one_line(line, kMostBytes)});
  }
  return warnings;
}

std::vector<LogWarning> read_warnings(const std::filesystem::path& bundle) {
  std::vector<LogWarning> warnings;
  for (const char* const file : {"bench.log", "tests.log"}) {
    std::error_code error;
    if (!std::filesystem::exists(bundle / file, error)) continue;
    for (LogWarning& warning : find_warnings(read_file(bundle / file), file))
      warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace aqbench
