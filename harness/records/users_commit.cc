#include "harness/records/users_commit.h"

namespace aqbench {

std::string users_commit(const Results& results) {
  std::string commit;
  for (const Record& record : results.records) {
    const std::string one = record.guest ? commit_text(*record.guest) : std::string();
    if (one.empty() || one == commit) continue;
    if (!commit.empty()) return "several commits";
    commit = one;
  }
  return commit;
}

std::string full_users_commit(const Results& results) {
  std::string commit;
  for (const Record& record : results.records) {
    if (!record.guest || record.guest->commit.empty()) continue;
    if (!commit.empty() && record.guest->commit != commit) return {};
    commit = record.guest->commit;
  }
  return commit;
}

}  // namespace aqbench
