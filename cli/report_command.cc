#include <fmt/format.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "harness/ab/report.h"
#include "harness/ab/tiles.h"
#include "harness/running/journal.h"
#include "reports/bundle/gate_input.h"
#include "reports/bundle/verify.h"
#include "reports/html/ab_page.h"
#include "reports/html/report.h"

namespace aqbench::cli {

namespace {

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

// The page of a comparison whose folder verifies.
std::string comparison_page(const std::filesystem::path& bundle) {
  require_verified(verify_bundle(bundle), bundle);
  const AbDocument document = document_of(read_any_results(bundle / "results.json"));
  return ab_page(document, judge_ab(document), read_ab_tiles(bundle, document.samples));
}

std::string sweep_page(const std::filesystem::path& bundle) {
  const BundleContent content = read_bundle_content(bundle, read_gate_input(bundle).results);
  return render_html_report(content, read_report_pictures(bundle, listed_on_page(content).results));
}

}  // namespace

ExitCode report_command(const Arguments& arguments) {
  const auto request = parse(report_command_line(), arguments);
  if (!request) return ExitCode::pass;
  const std::filesystem::path& bundle = request->bundle;
  if (!std::filesystem::is_directory(bundle))
    throw Error(ErrorKind::input, bundle.string() + ": not a bundle (no such folder)");
  const std::string page = is_comparison(bundle) ? comparison_page(bundle) : sweep_page(bundle);
  if (request->out)
    write_file(*request->out, page);
  else
    fmt::print("{}", page);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
