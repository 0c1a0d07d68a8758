#include "harness/records/guest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace aqbench {
namespace {

constexpr std::size_t kShownDigits = 12;

// Returns the hash of a name; "absent" where the guest has none of that name.
std::string hash_of(const Guest& guest, const std::string& name) {
  const auto found = std::ranges::find(guest.files, name, [](const auto& file) { return file.first; });
  if (found == guest.files.end()) return "absent";
  return found->second.empty() ? "missing" : found->second.substr(0, kShownDigits);
}

}  // namespace

std::vector<std::string> guest_differences(const Guest& before, const Guest& now) {
  std::set<std::string> names;
  for (const Guest* const guest : {&before, &now})
    for (const auto& [name, sha256] : guest->files) names.insert(name);
  std::vector<std::string> differences;
  const auto sha256_of = [](const Guest& guest, const std::string& name) {
    const auto found = std::ranges::find(guest.files, name, [](const auto& file) { return file.first; });
    return found == guest.files.end() ? std::string("absent") : found->second;
  };
  for (const std::string& name : names)
    if (sha256_of(before, name) != sha256_of(now, name))
      differences.push_back(fmt::format("{} is {}, was {}", name, hash_of(now, name), hash_of(before, name)));
  if (before.runs_in != now.runs_in)
    differences.push_back(fmt::format("runs_in is {}, was {}", now.runs_in.empty() ? "none" : now.runs_in,
                                      before.runs_in.empty() ? "none" : before.runs_in));
  return differences;
}

std::string commit_text(const Guest& guest) {
  if (guest.commit.empty()) return {};
  return guest.commit.substr(0, kShownDigits) + (guest.changed.value_or(false) ? ", changed" : "");
}

}  // namespace aqbench
