#include "reports/bundle/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/table.h"
#include "core/text.h"
#include "reports/bundle/signature.h"

namespace aqbench::cli {

namespace {

struct VerifyRequest {
  std::filesystem::path bundle;
  std::optional<std::filesystem::path> public_key, trust_file, tsa_ca;
  std::optional<std::size_t> require;
};

CommandLine<VerifyRequest> verify_command_line() {
  return {
      "aqbench verify BUNDLE [--pubkey KEY.pub.pem] [--require K --trust FILE] [--tsa-ca CA.pem]",
      "Checks a bundle: every file against sha256.txt, results.json against its schema and the journal's\n"
      "hash chain, records against the plan, against what they can be and against the files that their\n"
      "cases wrote, every derived file (summary, report, environment, inventory, statement, benchmark.json)\n"
      "against what it renders to, signature.json against the key that it names, countersignatures and time\n"
      "stamp. With --pubkey a bundle that this key did not sign fails; without it, or a name in the trust\n"
      "file, a signature says nothing about who made it. Prints the root digest (over all records) and the\n"
      "metrics digest (the part that no thread count or restart may change). Exit 1 names every file that\n"
      "does not check out; exit 7: nothing is wrong that could be checked, but the bundle is of another\n"
      "version of aqbench, whose texts or plan only that one can compute again.",
      {{{.name = "pubkey",
         .value_name = "KEY.pub.pem",
         .help = "the Ed25519 public key that must have signed the bundle (PEM)"},
        into<&VerifyRequest::public_key>},
       {{.name = "require",
         .value_name = "K",
         .help =
             "fail unless so many people of the trust file, none of them its author, have reproduced every "
             "case that ran well and countersigned (aqbench replay --all --sign); the others cannot be "
             "reproduced"},
        [](VerifyRequest& r, const FlagValue& v) {
          r.require = static_cast<std::size_t>(v.at_least<std::int64_t>(1));
        }},
       {{.name = "trust",
         .value_name = "FILE",
         .help = "who the people are: lines NAME FINGERPRINT, a person may have several keys (default: "
                 "~/.config/aqbench/trusted_keys.txt)"},
        into<&VerifyRequest::trust_file>},
       {{.name = "tsa-ca",
         .value_name = "CA.pem",
         .help = "certificates that the one of timestamp.tsr must lead to"},
        into<&VerifyRequest::tsa_ca>}},
      {{{.name = "BUNDLE"}, into<&VerifyRequest::bundle>}}};
}

// Lists who counts, and returns whether they are enough.
bool print_required(const VerifyReport& report, const std::vector<TrustedKey>& trusted,
                    std::size_t required) {
  const auto people = independent_people(report.added.countersignatures, trusted,
                                         name_of_key(trusted, report.signed_by), report.added.ok_cases);
  fmt::print("required        {} of {} people: {}\n", people.size(), required,
             people.empty() ? "none" : printable(fmt::format("{}", fmt::join(people, ", "))));
  if (report.added.ok_cases < report.added.cases)
    fmt::print("                {} of {} cases cannot be reproduced because they failed\n",
               report.added.cases - report.added.ok_cases, report.added.cases);
  return people.size() >= required;
}

}  // namespace

ExitCode verify_command(const Arguments& arguments) {
  const auto request = parse(verify_command_line(), arguments);
  if (!request) return ExitCode::pass;
  std::optional<std::string> public_key;
  if (request->public_key) public_key = read_public_key(*request->public_key);
  std::vector<TrustedKey> trusted;
  const auto trust_file = request->trust_file ? request->trust_file : default_trust_file();
  if (trust_file) trusted = read_trust_file(*trust_file);
  if (request->require && !trust_file)
    throw Error(ErrorKind::usage, "--require: needs --trust FILE, because anyone can make keys");
  const VerifyReport report = verify_bundle(request->bundle, public_key, request->tsa_ca);
  std::vector<TrustedKey> named = trusted;
  if (public_key && name_of_key(trusted, key_fingerprint(*public_key)).empty())
    named.push_back({"the owner of --pubkey", key_fingerprint(*public_key)});
  fmt::print("{}", render_verify(report, wants_colours(STDOUT_FILENO), named));
  const bool enough = !request->require || print_required(report, trusted, *request->require);
  return enough ? exit_code(report.verdict()) : ExitCode::regression;
}

}  // namespace aqbench::cli
