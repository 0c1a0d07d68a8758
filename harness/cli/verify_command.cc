#include "reports/verify.h"

#include <fmt/format.h>
#include <unistd.h>

#include "harness/cli/options.h"
#include "reports/table.h"

namespace aqbench::cli {

ExitCode run_verify(const Arguments& arguments) {
  CommandLine line{
      "aqbench verify BUNDLE",
      "Checks a bundle: every file against sha256.txt, results.json against its schema and the journal's\n"
      "hash chain, summary.md and env.json against what results.json renders to. Prints the root digest\n"
      "(over all records) and the metrics digest (the part that no thread count or restart may change).\n"
      "Exit 1 names every file that does not check out.",
      make_options(),
      {"BUNDLE"}};
  const auto values = parse(line, arguments);
  if (!values) return ExitCode::pass;
  const VerifyReport report = verify_bundle((*values)["BUNDLE"].as<std::string>());
  fmt::print("{}", render_verify(report, wants_colours(STDOUT_FILENO)));
  return report.ok() ? ExitCode::pass : ExitCode::regression;
}

}  // namespace aqbench::cli
