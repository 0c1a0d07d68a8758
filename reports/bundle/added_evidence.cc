#include "reports/bundle/added_evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"
#include "reports/content/utc.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxStampBytes = std::uintmax_t{1} << 16;

// Runs `check`; what it throws becomes a problem of `file`.
template <class Check>
void guard_added(const std::string& file, AddedEvidence& added, const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    added.problems.push_back({file, error.file().empty() ? error.what() : error.problem()});
  }
}

}  // namespace

bool is_added_evidence(std::string_view file) {
  return file == kTimestampName || is_countersignature_file(file);
}

std::string stamped_digest(const std::filesystem::path& bundle, const Results* results) {
  return results != nullptr ? root_digest(*results)
                            : sha256_hex(read_text_file(bundle / kHashListName, kMaxHashListBytes));
}

std::string problem_of_stamped_time(const std::string& stamped_utc, const std::string& finished_utc) {
  constexpr std::int64_t kClocks_s = 3600;  // that the authority's clock and the machine's are apart at most
  const auto stamped = seconds_of_utc(stamped_utc), finished = seconds_of_utc(finished_utc);
  if (!stamped || !finished || *stamped + kClocks_s >= *finished) return {};
  return fmt::format("was made at {}, and the run ended at {}: later than what was stamped", stamped_utc,
                     finished_utc);
}

AddedEvidence check_added_evidence(const std::filesystem::path& bundle, const std::vector<std::string>& files,
                                   const Results* results,
                                   const std::optional<std::filesystem::path>& tsa_ca) {
  AddedEvidence added;
  if (std::ranges::none_of(files, is_added_evidence)) return added;
  guard_added(kHashListName, added, [&] {
    const std::string list = read_text_file(bundle / kHashListName, kMaxHashListBytes);
    const CountersignedBundle own =
        results != nullptr ? countersigned_bundle(*results, list) : CountersignedBundle{list, "", "", {}};
    CountersignatureCheck check = check_countersignatures(bundle, files, own);
    added.countersignatures = std::move(check.good);
    added.problems = std::move(check.problems);
    added.cases = results != nullptr ? results->records.size() : 0;
    added.ok_cases = own.ok_cases.size();
  });
  if (std::ranges::find(files, kTimestampName) == files.end()) return added;
  guard_added(kTimestampName, added, [&] {
    TimestampCheck check = check_timestamp(read_file(bundle / kTimestampName, kMaxStampBytes),
                                           stamped_digest(bundle, results), tsa_ca);
    if (check.problem.empty() && results != nullptr)
      check.problem = problem_of_stamped_time(check.utc, results->run.finished_utc);
    if (check.problem.empty())
      added.timestamp = check;
    else
      added.problems.push_back({kTimestampName, check.problem});
  });
  return added;
}

std::string render_signers(const std::string& signed_by, const AddedEvidence& added,
                           const std::vector<TrustedKey>& trusted) {
  const auto who = [&](const std::string& fingerprint) {
    const std::string name = name_of_key(trusted, fingerprint);
    return name.empty() ? "key " + fingerprint + ", unknown here" : name + ", key " + fingerprint;
  };
  std::string text;
  if (!signed_by.empty()) text += fmt::format("signed by       {}\n", who(signed_by));
  for (const Countersignature& one : added.countersignatures)
    text += fmt::format(
        "countersigned   {} by {}: reproduced {} of {} cases{}\n", one.signed_utc, who(one.fingerprint),
        one.reproduced.size(), added.cases,
        added.ok_cases == added.cases ? "" : fmt::format(", of which {} ran well", added.ok_cases));
  if (added.timestamp)
    text += fmt::format(
        "time stamp      {} by {}{}\n", added.timestamp->utc, printable(added.timestamp->authority),
        added.timestamp->certificate_checked ? "" : ", whose certificate was not checked (--tsa-ca)");
  return text;
}

}  // namespace aqbench
