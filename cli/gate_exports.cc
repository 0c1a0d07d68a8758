#include "cli/gate_exports.h"

#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "core/files.h"
#include "core/table.h"
#include "reports/exports/github.h"
#include "reports/exports/junit.h"
#include "reports/text/verdict_table.h"

namespace aqbench::cli {
namespace {

void append_step_summary(const std::filesystem::path& file, const Verdicts& report, const Results& results) {
  std::error_code error;
  const std::uintmax_t present = std::filesystem::file_size(file, error);
  const std::uintmax_t used = error ? 0 : present;
  if (used >= kMaxStepSummaryBytes) return;
  append_to_file(file, github_step_summary(report, results, kMaxStepSummaryBytes - used));
}

// Two lines around text that GitHub reads on stdout: between them, lines starting with "::" are plain text,
// so that no name from a results file is taken for a command. Both are empty without --github.
struct GithubFence {
  std::string begin, end;
};

GithubFence github_fence(const GateExports& exports) {
  if (!exports.github) return {};
  std::random_device random;  // unpredictable for the author of the results
  const std::string token = fmt::format("aqbench-{:08x}{:08x}{:08x}", random(), random(), random());
  return {fmt::format("::stop-commands::{}\n", token), fmt::format("::{}::\n", token)};
}

}  // namespace

std::vector<Flag<GateExports>> gate_export_flags() {
  return {{"junit", "FILE", "write the gate's verdict as JUnit XML: a test case per case",
           into<&GateExports::junit>},
          {"github", nullptr,
           "print the 10 worst cases as GitHub annotations; append a table to $GITHUB_STEP_SUMMARY if set",
           into<&GateExports::github>}};
}

void show_verdicts(const Verdicts& verdicts, const Results& results, const GateExports& exports,
                   std::FILE* stream, bool all) {
  const GithubFence fence = github_fence(exports);
  fmt::print(stream, "{}{}{}", fence.begin,
             render_verdicts(verdicts, wants_colours(fileno(stream)), all, screen_columns(fileno(stream))),
             fence.end);
  if (exports.junit) write_file(*exports.junit, junit_text(verdicts, results));
  if (!exports.github) return;
  fmt::print(stream, "{}", github_annotations(verdicts));
  const char* const summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary != nullptr && *summary != '\0') append_step_summary(summary, verdicts, results);
}

}  // namespace aqbench::cli
