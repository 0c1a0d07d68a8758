#include "harness/records/users_commit.h"

namespace aqbench {
namespace {

// Returns the only non-empty text of the guests; `several` where they differ.
template <class TextOf>
std::string only_text(const Results& results, const char* several, const TextOf& text_of) {
  std::string only;
  for (const Record& record : results.records) {
    const std::string text = record.guest ? text_of(*record.guest) : std::string();
    if (text.empty() || text == only) continue;
    if (!only.empty()) return several;
    only = text;
  }
  return only;
}

}  // namespace

std::string users_commit(const Results& results) {
  return only_text(results, "several commits", commit_text);
}

std::string full_users_commit(const Results& results) {
  return only_text(results, "", [](const Guest& guest) { return guest.commit; });
}

}  // namespace aqbench
