#include "reports/bundle/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/table.h"
#include "reports/bundle/signature.h"

namespace aqbench::cli {

namespace {

struct VerifyRequest {
  std::filesystem::path bundle;
  std::optional<std::filesystem::path> public_key, trust_file;
};

CommandLine<VerifyRequest> verify_command_line() {
  return {
      "aqbench verify BUNDLE [--pubkey KEY.pub.pem] [--trust FILE]",
      "Checks a bundle: every file against sha256.txt, the journal's hash chain, results.json against the\n"
      "journal, the plan against the request, the files of cases against the hashes in their records, every\n"
      "derived file (summary, report, environment, inventory, statement, benchmark.json) against what the\n"
      "records render to, and signature.json against the key that it names. That records were measured and\n"
      "not invented, only aqbench replay shows. With --pubkey a bundle that this key did not sign fails;\n"
      "without it, or a name in the trust file, a signature says nothing about who made it. Prints the root\n"
      "digest (over all records) and the metrics digest (the part that no thread count or restart may\n"
      "change). Exit 1 names every file that does not check out; exit 7: no errors found, but only the\n"
      "aqbench version that wrote this bundle can check it fully.",
      {{"pubkey", "KEY.pub.pem", "the Ed25519 public key that must have signed the bundle (PEM)",
        into<&VerifyRequest::public_key>},
       {"trust", "FILE",
        "names of keys: lines NAME FINGERPRINT, a person may have several keys (default: "
        "~/.config/aqbench/trusted_keys.txt)",
        into<&VerifyRequest::trust_file>}},
      {{{.name = "BUNDLE"}, into<&VerifyRequest::bundle>}}};
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
  const VerifyReport report = verify_bundle(request->bundle, public_key);
  if (public_key && name_of_key(trusted, key_fingerprint(*public_key)).empty())
    trusted.push_back({"the owner of --pubkey", key_fingerprint(*public_key)});
  fmt::print("{}", render_verify(report, wants_colours(STDOUT_FILENO), trusted));
  return exit_code(report.verdict());
}

}  // namespace aqbench::cli
