#include "reports/bundle/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/table.h"
#include "reports/bundle/signature.h"

namespace aqbench::cli {

ExitCode run_verify(const Arguments& arguments) {
  CommandLine line{
      "aqbench verify BUNDLE [--pubkey KEY.pub.pem]",
      "Checks a bundle: every file against sha256.txt, results.json against its schema and the journal's\n"
      "hash chain, every derived file (summary, environment, inventory, statement) against what it renders\n"
      "to, signature.json against the key that it names. With --pubkey a bundle that this key did not sign\n"
      "fails. Prints the root digest (over all records) and the metrics digest (the part that no thread\n"
      "count or restart may change). Exit 1 names every file that does not check out.",
      make_options(),
      {"BUNDLE"}};
  line.options.add_options()("pubkey", po::value<std::string>()->value_name("KEY.pub.pem"),
                             "the Ed25519 public key that must have signed the bundle (PEM)");
  const auto values = parse(line, arguments);
  if (!values) return ExitCode::pass;
  std::optional<std::string> public_key;
  if (values->count("pubkey") != 0) public_key = read_public_key((*values)["pubkey"].as<std::string>());
  const VerifyReport report = verify_bundle((*values)["BUNDLE"].as<std::string>(), public_key);
  fmt::print("{}", render_verify(report, wants_colours(STDOUT_FILENO)));
  return report.ok() ? ExitCode::pass : ExitCode::regression;
}

}  // namespace aqbench::cli
