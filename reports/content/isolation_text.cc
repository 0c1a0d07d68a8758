#include "reports/content/isolation_text.h"

#include <fmt/format.h>

#include <map>

namespace aqbench {

std::string isolation_line(const Results& results) {
  std::map<std::string, int> ways;
  for (const Record& record : results.records)
    if (!record.method.empty() && !record.simulated && record.status != Status::skipped)
      ++ways[record.isolation.empty() ? "not recorded" : record.isolation];
  if (ways.size() == 1) return ways.begin()->first;
  std::string line;
  for (const auto& [way, count] : ways)
    line += fmt::format("{}{} ({} case{})", line.empty() ? "" : ", ", way, count, count == 1 ? "" : "s");
  return line;
}

}  // namespace aqbench
