#include <fmt/format.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "harness/gating/gate.h"
#include "reports/bundle/gate_input.h"
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
      "same page into its bundle as report.html.",
      {{{.name = "out", .value_name = "FILE", .help = "where to write it (default: stdout)"},
        into<&ReportRequest::out>}},
      {{{.name = "BUNDLE"}, into<&ReportRequest::bundle>}}};
}

}  // namespace

ExitCode report_command(const Arguments& arguments) {
  const auto request = parse(report_command_line(), arguments);
  if (!request) return ExitCode::pass;
  const std::filesystem::path& bundle = request->bundle;
  if (!std::filesystem::is_directory(bundle))
    throw Error(ErrorKind::input, bundle.string() + ": no bundle: not a folder");
  const BundleContent content = read_bundle_content(bundle, read_gate_input(bundle).results);
  const std::string page =
      render_html_report(content, read_report_pictures(bundle, listed_on_page(content).results));
  if (request->out)
    write_file(*request->out, page);
  else
    fmt::print("{}", page);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
