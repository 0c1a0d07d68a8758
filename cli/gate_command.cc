#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "cli/gate_exports.h"
#include "core/files.h"
#include "core/module.h"
#include "harness/ab/benchmark_file.h"
#include "harness/ab/deciding_time.h"
#include "harness/gating/baseline.h"
#include "harness/project/project.h"
#include "reports/bundle/verify.h"
#include "reports/exports/tools.h"
#include "reports/text/tables.h"

namespace aqbench::cli {
namespace {

// Two lines around text that GitHub reads on stdout: between them, lines starting with "::" are plain text,
// so that no name from a results file is taken for a command. Both are empty without --github.
std::pair<std::string, std::string> github_fence(const GateExports& exports) {
  if (!exports.github) return {};
  std::random_device random;  // unpredictable for the author of the results
  const std::string token = fmt::format("aqbench-{:08x}{:08x}{:08x}", random(), random(), random());
  return {fmt::format("::stop-commands::{}\n", token), fmt::format("::{}::\n", token)};
}

struct GateRequest {
  std::string results;
  std::optional<std::filesystem::path> baseline_file, project_file;
  bool all = false, stored_times = false, measured_here = false;
  DecideBy decide_by = DecideBy::automatic;
  GateExports exports;
};

CommandLine<GateRequest> gate_command_line() {
  CommandLine<GateRequest> line{
      "aqbench gate RESULTS [--baseline FILE] [--all] [--stored-times] [--junit FILE] [--github]",
      "Compares RESULTS (a bundle, which is verified first, or a bare results.json, which is not) with "
      "a\nbaseline, case by case and metric by metric, each with its direction and tolerance. Missing "
      "cases\nand metrics, undefined values and failed cases fail; other options are not comparable. "
      "Tolerances\nare in the baseline, per case and metric. Accuracy and tensor memory are gated on any "
      "machine\n(another kind of processor may change the last digits of OpenCV and LibTorch: docs/ci.md); "
      "time\nonly with --stored-times: compare it in pairs instead (aqbench ab).\n"
      "Exit 0 pass, 1 regression, 2 bad input, 3 a case failed, 4 not comparable.",
      {{"baseline", "FILE",
        "accepted values, e.g. baselines/seed.json, or the name of an installed baseline: seed",
        into<&GateRequest::baseline_file>},
       {"project", "FILE",
        "the project file with the suite's gate and baseline (default: aqbench.json, here or in a folder "
        "above)",
        into<&GateRequest::project_file>},
       {"all", nullptr, "also list rows that pass", into<&GateRequest::all>},
       {"stored-times", nullptr,
        "compare times with those of the baseline, on the same kind of machine and build: at most 1.05 x the "
        "time, at least 0.95 x the throughput",
        into<&GateRequest::stored_times>},
       {"decide-by", "wall|cpu|both",
        "the stored time that decides (default: wall time; CPU time where it is known and a run was measured "
        "under "
        "load)",
        [](GateRequest& r, const FlagValue& v) { r.decide_by = read_decide_by(v); }, needs("stored-times")},
       {"measured-here", nullptr,
        "RESULTS of hyperfine or Criterion, which name no machine, were measured on this one",
        into<&GateRequest::measured_here>}},
      {{{.name = "RESULTS"}, into<&GateRequest::results>}}};
  append_flags<GateRequest, GateExports>(line.flags, gate_export_flags(), &GateRequest::exports);
  return line;
}

// Says how often the limit of stored times is exceeded without a cause, as far as these runs tell.
std::string false_alarm_note(const Results& results) {
  const auto [share, halves] = false_alarms_of_halves(results, kStoredTimeFactor);
  if (halves == 0) return "rate of false alarms: not measured, since no case has 10 runs";
  return fmt::format(
      "rate of false alarms: {} of {} halves of these runs exceed the other half by {:.2g} %; what drifts "
      "between two days comes on top",
      fmt::format("{:.1f} %", 100 * share), halves, 100 * (kStoredTimeFactor - 1));
}

}  // namespace

std::vector<Flag<GateExports>> gate_export_flags() {
  return {
      {"junit", "FILE", "write the verdicts as JUnit XML: a test case per case", into<&GateExports::junit>},
      {"github", nullptr,
       "print the 10 worst cases as GitHub annotations; append a table to $GITHUB_STEP_SUMMARY if set",
       into<&GateExports::github>}};
}

void show_verdicts(const Verdicts& verdicts, const Results& results, const GateExports& exports,
                   std::FILE* stream, bool all) {
  Verdicts shown = verdicts;
  if (const std::string caution = caution_of(results, &verdicts); !caution.empty())
    shown.notes.push_back(caution);
  show_and_export(render_verdicts(shown, all, screen_of(fileno(stream))), verdicts, results, exports, stream);
}

void show_and_export(const std::string& text, const Verdicts& verdicts, const Results& results,
                     const GateExports& exports, std::FILE* stream) {
  const auto [begin, end] = github_fence(exports);
  fmt::print(stream, "{}{}{}", begin, text, end);
  if (exports.junit) write_file(*exports.junit, junit_text(verdicts, results));
  if (!exports.github) return;
  fmt::print(stream, "{}", github_annotations(verdicts));
  const char* const summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary != nullptr && *summary != '\0') append_to_file(summary, github_step_summary(verdicts, results));
}

ExitCode gate_command(const Arguments& arguments) {
  const auto request = parse(gate_command_line(), arguments);
  std::optional<std::filesystem::path> named;
  if (request.baseline_file) named = baseline_file(*request.baseline_file);  // unknown names first
  const GateInput input = read_gate_input(request.results, request.measured_here);
  // Read after the results are verified, which takes memory that is free again now.
  const Baseline baseline =
      read_baseline(named ? *named : gate_baseline(input.results.run.suite, request.project_file));
  if (input.of_benchmark && !request.stored_times)
    throw not_comparable_error(
        "{}: has times alone, which were not measured in pairs with the baseline's: "
        "--stored-times gates them, aqbench ab measures in pairs",
        request.results);
  Verdicts report;
  if (!input.of_benchmark) report = gate(input.results, baseline);
  if (request.stored_times) {
    gate_stored_times(input.results, baseline, report, request.decide_by);
    report.notes.push_back(false_alarm_note(input.results));
  }
  if (!input.verified)
    report.notes.insert(report.notes.begin(), input.of_benchmark ? "a file of another tool: not verified"
                                                                 : "a bare results.json: not verified");
  show_verdicts(report, input.results, request.exports, stdout, request.all);
  return static_cast<ExitCode>(report.exit_code());
}

}  // namespace aqbench::cli
