#include <fmt/format.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "harness/gating/gate.h"
#include "reports/bundle/gate_input.h"
#include "reports/html/report.h"

namespace aqbench::cli {

ExitCode run_report(const Arguments& arguments) {
  CommandLine line{
      "aqbench report BUNDLE [--out FILE]",
      "Shows a bundle (verified first) as one HTML page without scripts that needs no network: accuracy and\n"
      "completeness, errors by place, stages, times, changes against the baseline. A sweep writes the same "
      "page\n"
      "into its bundle as report.html.",
      make_options(),
      {"BUNDLE"}};
  line.options.add_options()("out", po::value<std::string>()->value_name("FILE"),
                             "where to write it (default: stdout)");
  const auto values = parse(line, arguments);
  if (!values) return ExitCode::pass;
  const std::filesystem::path bundle = (*values)["BUNDLE"].as<std::string>();
  if (!std::filesystem::is_directory(bundle))
    throw Error(ErrorKind::input, bundle.string() + ": no bundle: not a folder");
  const BundleContent content = read_bundle_content(bundle, read_gate_input(bundle).results);
  const std::string page = render_html_report(content, read_report_pictures(bundle, content.results));
  if (values->count("out") != 0)
    write_file((*values)["out"].as<std::string>(), page);
  else
    fmt::print("{}", page);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
