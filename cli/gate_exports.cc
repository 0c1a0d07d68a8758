#include "cli/gate_exports.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

#include "core/error.h"
#include "core/files.h"
#include "core/table.h"
#include "harness/gating/gate_text.h"
#include "reports/exports/github.h"
#include "reports/exports/junit.h"

namespace aqbench::cli {
namespace {

void append_step_summary(const std::filesystem::path& file, const GateReport& report,
                         const Results& results) {
  std::error_code error;
  const std::uintmax_t present = std::filesystem::file_size(file, error);
  const std::uintmax_t used = error ? 0 : present;
  if (used >= kMaxStepSummaryBytes) return;
  append_to_file(file, github_step_summary(report, results, kMaxStepSummaryBytes - used));
}

}  // namespace

std::vector<Flag<GateExports>> gate_export_flags() {
  return {{{.name = "junit",
            .value_name = "FILE",
            .help = "write the gate's verdict as JUnit XML: a test case per case"},
           into<&GateExports::junit>},
          {{.name = "github",
            .help = "print the 10 worst cases as GitHub annotations; append a table to "
                    "$GITHUB_STEP_SUMMARY if set"},
           into<&GateExports::github>}};
}

GithubFence github_fence(const GateExports& exports) {
  if (!exports.github) return {};
  std::random_device random;  // unpredictable for the author of the results
  const std::string token = fmt::format("aqbench-{:08x}{:08x}{:08x}", random(), random(), random());
  return {fmt::format("::stop-commands::{}\n", token), fmt::format("::{}::\n", token)};
}

void export_gate(const GateReport& report, const Results& results, const GateExports& exports,
                 std::FILE* stream) {
  if (exports.junit) write_file(*exports.junit, junit_text(report, results));
  if (!exports.github) return;
  fmt::print(stream, "{}", github_annotations(report));
  const char* const summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary != nullptr && *summary != '\0') append_step_summary(summary, report, results);
}

ExitCode print_gate(const GateReport& report, const Results& results, const GateExports& exports, bool json) {
  std::FILE* const stream = json ? stderr : stdout;
  const GithubFence fence = github_fence(exports);
  fmt::print(stream, "\n{}{}{}", fence.begin,
             render_gate(report, wants_colours(json ? STDERR_FILENO : STDOUT_FILENO)), fence.end);
  export_gate(report, results, exports, stream);
  return report.exit_code();
}

}  // namespace aqbench::cli
