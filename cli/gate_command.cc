
#include <fmt/format.h>
#include <unistd.h>

#include "cli/gate_exports.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/table.h"
#include "harness/gating/gate_text.h"
#include "reports/bundle/gate_input.h"

namespace aqbench::cli {

ExitCode run_gate(const Arguments& arguments) {
  CommandLine line{
      "aqbench gate RESULTS --baseline FILE [--all] [--junit FILE] [--github]",
      "Compares RESULTS (a bundle, which is verified first, or a bare results.json, which is not) with a\n"
      "baseline, case by case and metric by metric, each with its direction and tolerance. Missing cases\n"
      "and metrics, undefined values and failed cases fail; other options are not comparable. Tolerances\n"
      "stand in the baseline, per case and metric. Accuracy and tensor memory are gated, on any machine;\n"
      "time is not: compare it in pairs (aqbench ab).\n"
      "Exit 0 pass, 1 regression, 2 bad input, 3 a case failed, 4 not comparable.",
      make_options(),
      {"RESULTS"}};
  line.options.add_options()("baseline", po::value<std::string>(),
                             "accepted values, e.g. baselines/seed.json")("all",
                                                                          "list the rows that pass as well");
  add_gate_export_options(line.options);
  const auto values = parse(line, arguments);
  if (!values) return ExitCode::pass;
  if (values->count("baseline") == 0) throw Error(ErrorKind::usage, "--baseline FILE is missing");

  const Baseline baseline = read_baseline((*values)["baseline"].as<std::string>());
  const GateInput input = read_gate_input((*values)["RESULTS"].as<std::string>());
  GateReport report = gate(input.results, baseline);
  if (!input.verified) report.notes.insert(report.notes.begin(), "a bare results.json: not verified");
  const GateExports exports = read_gate_exports(*values);
  const GithubFence fence = github_fence(exports);
  fmt::print("{}{}{}", fence.begin,
             render_gate(report, wants_colours(STDOUT_FILENO), values->count("all") != 0), fence.end);
  export_gate(report, input.results, exports, stdout);
  return static_cast<ExitCode>(report.exit_code());
}

}  // namespace aqbench::cli
