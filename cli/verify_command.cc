#include "reports/bundle/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/table.h"
#include "reports/bundle/signature.h"

namespace aqbench::cli {

namespace {

struct VerifyRequest {
  std::filesystem::path bundle;
  std::optional<std::filesystem::path> public_key;
};

CommandLine<VerifyRequest> verify_command_line() {
  return {
      "aqbench verify BUNDLE [--pubkey KEY.pub.pem]",
      "Checks a bundle: every file against sha256.txt, results.json against its schema and the journal's\n"
      "hash chain, every derived file (summary, environment, inventory, statement) against what it renders\n"
      "to, signature.json against the key that it names. With --pubkey a bundle that this key did not sign\n"
      "fails. Prints the root digest (over all records) and the metrics digest (the part that no thread\n"
      "count or restart may change). Exit 1 names every file that does not check out.",
      {{{.name = "pubkey",
         .value_name = "KEY.pub.pem",
         .help = "the Ed25519 public key that must have signed the bundle (PEM)"},
        into<&VerifyRequest::public_key>}},
      {{{.name = "BUNDLE"}, into<&VerifyRequest::bundle>}}};
}

}  // namespace

ExitCode verify_command(const Arguments& arguments) {
  const auto request = parse(verify_command_line(), arguments);
  if (!request) return ExitCode::pass;
  std::optional<std::string> public_key;
  if (request->public_key) public_key = read_public_key(*request->public_key);
  const VerifyReport report = verify_bundle(request->bundle, public_key);
  fmt::print("{}", render_verify(report, wants_colours(STDOUT_FILENO)));
  return report.ok() ? ExitCode::pass : ExitCode::regression;
}

}  // namespace aqbench::cli
