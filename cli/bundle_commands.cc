// The commands verify and report: what is done with a bundle that is whole.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/files.h"
#include "core/table.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"

namespace aqbench::cli {
namespace {

struct VerifyRequest {
  std::filesystem::path bundle;
};

CommandLine<VerifyRequest> verify_command_line() {
  return {
      "aqbench verify BUNDLE",
      "Checks a bundle: every file against sha256.txt, the journal's hash chain, results.json against the\n"
      "journal, the plan against the request, the files of cases against the hashes in their records, every\n"
      "derived file (environment, inventory, statement, benchmark.json) against what the records give.\n"
      "summary.md is rendered again if this very build wrote it; else its hash is checked, as that of\n"
      "report.html is. That records were measured and not invented, only aqbench replay shows. Prints the\n"
      "root digest (over all records) and the metrics digest (the part that no thread count or restart may\n"
      "change). Exit 1 names every file that does not check out.",
      {},
      {{{.name = "BUNDLE"}, into<&VerifyRequest::bundle>}}};
}

struct ReportRequest {
  std::filesystem::path bundle;
  std::optional<std::filesystem::path> out;
};

CommandLine<ReportRequest> report_command_line() {
  return {
      "aqbench report BUNDLE [--out FILE]",
      "Shows a bundle (verified first) as one HTML page that needs no network: accuracy\n"
      "and completeness, errors by place, stages, times, changes against the baseline. A sweep writes the\n"
      "same page into its bundle as report.html. Of a comparison (aqbench ab): verdicts, distributions,\n"
      "pairs with their interval, units in their order, differences of metrics.",
      {{"out", "FILE", "output file (default: stdout)", into<&ReportRequest::out>}},
      {{{.name = "BUNDLE"}, into<&ReportRequest::bundle>}}};
}

}  // namespace

ExitCode verify_command(const Arguments& arguments) {
  const auto request = parse(verify_command_line(), arguments);
  const VerifyReport report = verify_bundle(request.bundle);
  fmt::print("{}", render_verify(report, screen_of(STDOUT_FILENO)));
  return report.ok() ? ExitCode::pass : ExitCode::regression;
}

ExitCode report_command(const Arguments& arguments) {
  const auto request = parse(report_command_line(), arguments);
  const std::filesystem::path& bundle = request.bundle;
  require_bundle_folder(bundle);
  const std::string page = bundle_page(bundle);
  if (request.out)
    write_file(*request.out, page);
  else
    fmt::print("{}", page);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
