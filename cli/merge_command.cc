#include "reports/bundle/merge.h"

#include <fmt/format.h>

#include "cli/options.h"
#include "core/error.h"
#include "reports/bundle/verify.h"

namespace aqbench::cli {

ExitCode run_merge(const Arguments& arguments) {
  CommandLine line{
      "aqbench merge BUNDLE... [--out DIR] [--sign KEY.pem]",
      "Makes one bundle of the shards of a sweep (aqbench sweep --shard i/n), with the root digest that all\n"
      "records together have. Every shard is verified first.\n"
      "Exit 1 one does not verify, 2 a case stands in two of them, one is missing or was interrupted,\n"
      "4 they are of different suites, options, plans or builds.",
      make_options(),
      {},
      "",
      "BUNDLE"};
  line.options.add_options()("out", po::value<std::string>()->value_name("DIR")->default_value("out"),
                             "where the bundle is made")(
      "sign", po::value<std::string>()->value_name("KEY.pem"), "sign it with this Ed25519 private key");
  const auto values = parse(line, arguments);
  if (!values) return ExitCode::pass;
  std::optional<SigningKey> key;
  if (values->count("sign") != 0) key = read_signing_key((*values)["sign"].as<std::string>());
  std::vector<std::filesystem::path> shards;
  for (const std::string& shard : strings(*values, "BUNDLE")) shards.emplace_back(shard);
  Arguments command{"aqbench", "merge"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const std::filesystem::path bundle =
      merge_bundles(shards, (*values)["out"].as<std::string>(), command, key ? &*key : nullptr);
  const VerifyReport verified = verify_bundle(bundle);
  fmt::print("bundle {}\n{}", bundle.string(), render_verify(verified));
  return verified.ok() ? ExitCode::pass : ExitCode::regression;
}

}  // namespace aqbench::cli
