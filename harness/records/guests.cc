#include "harness/records/guests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {

void GuestsSeen::require_same(const std::string& case_name, const std::string& method,
                              const Guest& guest) const {
  for (const auto& [name, sha256] : guest.files) {
    const auto seen = files_.find({method, name});
    if (seen == files_.end() || seen->second.sha256 == sha256) continue;
    const auto short_hash = [](const std::string& hash) {
      return hash.empty() ? "missing" : hash.substr(0, 12);
    };
    throw not_comparable_error("{}: another program than in {}: {} is {}, was {}", printable(case_name),
                               printable(seen->second.case_name), printable(name), short_hash(sha256),
                               short_hash(seen->second.sha256));
  }
}

void GuestsSeen::add(const std::string& case_name, const std::string& method, const Guest& guest) {
  require_same(case_name, method, guest);
  for (const auto& [name, sha256] : guest.files) files_.try_emplace({method, name}, Seen{sha256, case_name});
}

void GuestsSeen::add(const Record& record, const std::string& where) {
  if (!record.guest) return;
  add(where.empty() ? record.case_name : fmt::format("{} of {}", record.case_name, where), record.method,
      *record.guest);
}

void require_one_guest(const Results& results) {
  if (results.is_comparison()) return;
  GuestsSeen seen;
  for (const Record& record : results.records) seen.add(record);
}

void require_unchanged(const std::string& case_name, const Guest& before, const Guest& now) {
  if (const auto differences = guest_differences(before, now); !differences.empty())
    throw not_comparable_error("{}: its program changed while it ran: {}", printable(case_name),
                               printable(fmt::format("{}", fmt::join(differences, "; "))));
}

}  // namespace aqbench
