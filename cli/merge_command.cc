#include "reports/bundle/merge.h"

#include <fmt/format.h>

#include "cli/options.h"
#include "core/error.h"
#include "reports/bundle/verify.h"

namespace aqbench::cli {

namespace {

struct MergeRequest {
  std::vector<std::string> shards;
  std::filesystem::path out;
  std::optional<std::filesystem::path> sign;  // a private key, PEM
};

CommandLine<MergeRequest> merge_command_line() {
  return {
      "aqbench merge BUNDLE... [--out DIR] [--sign KEY.pem]",
      "Merges the shards of a sweep (aqbench sweep --shard i/n) into one bundle with the root digest of "
      "all\nrecords. Every shard is verified first.\nExit 1 a shard does not verify, 2 a case is duplicate, "
      "a shard is missing or was interrupted,\n4 suites, options, plans or builds differ.",
      {{"out", "DIR", "parent folder of the bundle", into<&MergeRequest::out>, usually("out")},
       {"sign", "KEY.pem", "sign it with this Ed25519 private key", into<&MergeRequest::sign>}},
      {{{.name = "BUNDLE", .repeatable = true}, into<&MergeRequest::shards>}}};
}

}  // namespace

ExitCode merge_command(const Arguments& arguments) {
  const auto request = parse(merge_command_line(), arguments);
  if (!request) return ExitCode::pass;
  std::optional<SigningKey> key;
  if (request->sign) key = read_signing_key(*request->sign);
  const std::vector<std::filesystem::path> shards(request->shards.begin(), request->shards.end());
  Arguments command{"aqbench", "merge"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const std::filesystem::path bundle = merge_bundles(shards, request->out, command, key ? &*key : nullptr);
  const VerifyReport verified = verify_bundle(bundle);
  fmt::print("bundle {}\n{}", bundle.string(), render_verify(verified));
  return verified.ok() ? ExitCode::pass : ExitCode::regression;
}

}  // namespace aqbench::cli
