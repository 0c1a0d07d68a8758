#include "reports/bundle/file_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/files.h"
#include "core/sha256.h"

namespace aqbench {

std::vector<Finding> check_case_files(const std::filesystem::path& bundle, const Results& results,
                                      const std::vector<std::string>& files) {
  std::vector<Finding> findings;
  for (const Record& record : results.records) {
    if (!record.files) continue;
    for (const CaseFile& file : *record.files)
      if (!std::ranges::binary_search(files, file.path))
        findings.push_back({file.path, "is missing, though a record names it"});
      else if (sha256_file_hex(bundle / file.path) != file.sha256)
        findings.push_back({file.path, "is not the file that the case's process wrote"});
  }
  return findings;
}

std::vector<Finding> check_log(const std::filesystem::path& bundle, bool complete,
                               const JournalContents& journal) {
  const std::string log = read_file(bundle / kLogFile);
  std::uint64_t start = 0;
  for (const LogMark& mark : journal.log_marks) {
    if (mark.bytes < start || mark.bytes > log.size())
      return {{kLogFile, "is not as long as the journal says"}};
    if (sha256_hex(std::string_view(log).substr(start, mark.bytes - start)) != mark.sha256)
      return {{kLogFile, fmt::format("bytes {} to {} are not what the journal knows", start, mark.bytes)}};
    start = mark.bytes;
  }
  if (complete && start != log.size()) return {{kLogFile, "has lines after the last record of the journal"}};
  return {};
}

}  // namespace aqbench
