#include "reports/bundle/timestamp.h"

#include <fmt/format.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "harness/records/results.h"
#include "reports/bundle/added_evidence.h"
#include "reports/bundle/verify.h"
#include "reports/content/bundle_files.h"

namespace aqbench::cli {

namespace {

struct StampRequest {
  std::filesystem::path bundle;
  std::optional<std::filesystem::path> token, tsa_ca;
};

CommandLine<StampRequest> stamp_command_line() {
  return {
      "aqbench stamp BUNDLE [--token ANSWER.tsr] [--tsa-ca CA.pem]",
      "Puts the answer of a time-stamping authority (RFC 3161) into a bundle that verifies, after\n"
      "checking that it covers the bundle's root digest (of a comparison: the SHA-256 of sha256.txt).\n"
      "Without --token it prints that digest; ask for a stamp of it with\n\n"
      "  openssl ts -query -digest DIGEST -sha256 -cert -out query.tsq",
      {{{.name = "token", .value_name = "ANSWER.tsr", .help = "the authority's answer"},
        into<&StampRequest::token>},
       {{.name = "tsa-ca", .value_name = "CA.pem", .help = "certificates that the authority's must lead to"},
        into<&StampRequest::tsa_ca>}},
      {{{.name = "BUNDLE"}, into<&StampRequest::bundle>}}};
}

// Returns the results of a sweep; nullopt of a comparison, which has none.
std::optional<Results> results_of(const std::filesystem::path& bundle) {
  const std::filesystem::path file = bundle / "results.json";
  if (!std::filesystem::exists(file)) return std::nullopt;
  return read_results(file);
}

}  // namespace

ExitCode stamp_command(const Arguments& arguments) {
  const auto request = parse(stamp_command_line(), arguments);
  if (!request) return ExitCode::pass;
  require_plain_files(request->bundle);
  require_verified(verify_bundle(request->bundle), request->bundle);
  const std::optional<Results> results = results_of(request->bundle);
  const std::string digest = stamped_digest(request->bundle, results ? &*results : nullptr);
  if (!request->token) {
    fmt::print("{}\n", digest);
    return ExitCode::pass;
  }
  constexpr std::uintmax_t kMaxAnswerBytes = std::uintmax_t{1} << 16;
  const std::string answer = read_file(*request->token, kMaxAnswerBytes);
  TimestampCheck check = check_timestamp(answer, digest, request->tsa_ca);
  if (check.problem.empty() && results)
    check.problem = problem_of_stamped_time(check.utc, results->run.finished_utc);
  if (!check.problem.empty())
    throw Error(ErrorKind::verification, fmt::format("{}: {}", request->token->string(), check.problem));
  write_file(request->bundle / kTimestampName, answer);
  AddedEvidence added;
  added.timestamp = check;
  fmt::print("{}", render_signers("", added, {}));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
