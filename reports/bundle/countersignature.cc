#include "reports/bundle/countersignature.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxStatementBytes = std::uintmax_t{64} << 20;
constexpr std::uintmax_t kMaxKeyFileBytes = std::uintmax_t{1} << 16;

// The three files of one key, relative to the bundle.
struct CountersignatureFiles {
  std::string statement, signature, public_key;
};

CountersignatureFiles files_of(const std::string& fingerprint) {
  const std::string stem = std::string(kCountersignatureFolder) + "/" + fingerprint;
  return {stem + ".json", stem + ".sig", stem + ".pub.pem"};
}

std::string statement_document(const CountersignedBundle& bundle, const Countersignature& one) {
  return Json{{"schema_version", 1},
              {"countersigns", kHashListName},
              {"sha256", sha256_hex(bundle.hash_list)},
              {"root_digest", bundle.root_digest},
              {"signed_utc", one.signed_utc},
              {"program_sha256", one.program_sha256},
              {"reproduced", one.reproduced}}
             .dump(1) +
         '\n';
}

bool is_utc(const std::string& text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  return text.size() == kForm.size() && std::ranges::equal(text, kForm, [](char c, char form) {
           return form == 'd' ? c >= '0' && c <= '9' : c == form;
         });
}

// Reads the statement and checks all that it says against the bundle. Throws Error(verification) with what is
// wrong.
Countersignature read_statement(const std::string& text, const CountersignedBundle& bundle,
                                const std::string& fingerprint) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::verification, what); };
  Countersignature one;
  one.fingerprint = fingerprint;
  try {
    const Json json = parse_strict_json(text, "statement", {kMaxStatementBytes, 3});
    const JsonPlace root(json, "statement");
    if (root.at("sha256").text() != sha256_hex(bundle.hash_list) ||
        root.at("root_digest").text() != bundle.root_digest)
      refuse("is of another bundle, or of this one before it was changed");
    one.signed_utc = root.at("signed_utc").text();
    one.program_sha256 = root.at("program_sha256").text();
    for (const JsonPlace& name : root.at("reproduced").elements()) one.reproduced.push_back(name.text());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::verification) throw;
    refuse("is not a countersignature as aqbench writes it");
  }
  if (!is_utc(one.signed_utc) || one.signed_utc < bundle.finished_utc)
    refuse("says that it was signed before the run had ended");
  if (one.reproduced.empty() || !std::ranges::is_sorted(one.reproduced, std::ranges::less_equal{}))
    refuse("does not name cases in order, each once");
  for (const std::string& name : one.reproduced)
    if (!bundle.ok_cases.contains(name))
      refuse(fmt::format("says that case {} was reproduced, which is none that ran well", printable(name)));
  if (statement_document(bundle, one) != text) refuse("is not a countersignature as aqbench writes it");
  return one;
}

Countersignature check_one(const fs::path& bundle, const std::string& fingerprint,
                           const CountersignedBundle& signed_bundle) {
  const CountersignatureFiles files = files_of(fingerprint);
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::verification, what); };
  const std::string public_key = read_public_key(bundle / files.public_key);
  if (key_fingerprint(public_key) != fingerprint ||
      read_file(bundle / files.public_key, kMaxKeyFileBytes) != public_key_pem(public_key))
    refuse("is not named by its key's fingerprint, or not in the form that aqbench writes");
  const std::string text = read_text_file(bundle / files.statement, kMaxStatementBytes);
  if (!is_good_signature(public_key, read_file(bundle / files.signature, kMaxKeyFileBytes), text))
    refuse("is no statement that its key has signed");
  return read_statement(text, signed_bundle, fingerprint);
}

}  // namespace

CountersignedBundle countersigned_bundle(const Results& results, std::string hash_list) {
  CountersignedBundle bundle{std::move(hash_list), root_digest(results), results.run.finished_utc, {}};
  for (const Record& record : results.records)
    if (record.status == Status::ok) bundle.ok_cases.insert(record.case_name);
  return bundle;
}

bool is_countersignature_file(std::string_view file) {
  return file.starts_with(std::string(kCountersignatureFolder) + "/");
}

CountersignatureCheck check_countersignatures(const fs::path& bundle, const std::vector<std::string>& files,
                                              const CountersignedBundle& signed_bundle) {
  CountersignatureCheck check;
  std::map<std::string, std::size_t> parts;  // of each stem: how many of its three files are there
  for (const std::string& file : files) {
    if (!is_countersignature_file(file)) continue;
    const std::string name = file.substr(std::string_view(kCountersignatureFolder).size() + 1);
    const std::string stem = name.substr(0, name.find('.'));
    const CountersignatureFiles own = files_of(stem);
    if (file == own.statement || file == own.signature || file == own.public_key)
      ++parts[stem];
    else
      check.problems.push_back({file, "belongs to no countersignature"});
  }
  for (const auto& [stem, count] : parts) {
    const std::string file = files_of(stem).statement;
    try {
      if (count != 3) throw Error(ErrorKind::verification, "is not there with its .sig and .pub.pem");
      check.good.push_back(check_one(bundle, stem, signed_bundle));
    } catch (const Error& error) {
      check.problems.push_back({file, error.file().empty() ? error.what() : error.problem()});
    }
  }
  std::ranges::stable_sort(check.good, {}, &Countersignature::signed_utc);
  return check;
}

void add_countersignature(const fs::path& bundle, const CountersignedBundle& signed_bundle,
                          const SigningKey& key, const std::vector<std::string>& reproduced,
                          const std::string& program_sha256, const std::string& signed_utc) {
  const std::string fingerprint = key_fingerprint(key.public_key);
  const CountersignatureFiles files = files_of(fingerprint);
  std::set<std::string> cases(reproduced.begin(), reproduced.end());
  std::error_code error;
  if (fs::exists(bundle / files.statement, error))
    for (const std::string& name : check_one(bundle, fingerprint, signed_bundle).reproduced)
      cases.insert(name);
  fs::create_directories(bundle / kCountersignatureFolder, error);
  if (error)
    throw Error(ErrorKind::io,
                fmt::format("{}: {}", (bundle / kCountersignatureFolder).string(), error.message()));
  const std::string text = statement_document(
      signed_bundle, {fingerprint, signed_utc, program_sha256, {cases.begin(), cases.end()}});
  write_file(bundle / files.public_key, public_key_pem(key.public_key));
  write_file(bundle / files.statement, text);
  write_file(bundle / files.signature, raw_signature(key, text));
}

std::set<std::string> independent_people(const std::vector<Countersignature>& good,
                                         const std::vector<TrustedKey>& trusted, const std::string& author,
                                         std::size_t ok_cases) {
  std::set<std::string> people;
  for (const Countersignature& one : good) {
    const std::string name = name_of_key(trusted, one.fingerprint);
    if (!name.empty() && name != author && one.reproduced.size() == ok_cases) people.insert(name);
  }
  return people;
}

}  // namespace aqbench
