// A sweep of very many cases: what is done with its records. $AQBENCH_MANY_CASES is their number; with 100
// 000 and a tenth of that one after the other, ten times the time of the tenth is the bar, doubled, and 1
// GiB.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "harness/records/case_result.h"
#include "harness/running/journal.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/commands.h"
#include "reports/html/report.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

std::size_t number_of_cases() {
  const char* const asked = std::getenv("AQBENCH_MANY_CASES");
  return asked == nullptr ? 1500 : static_cast<std::size_t>(std::atol(asked));
}

// Prints how much processor time each step takes.
class Steps {
 public:
  void end(const char* step) {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const std::clock_t now = std::clock();
    fmt::print("{:>12} {:8.2f} s, {:5} MiB\n", step, static_cast<double>(now - begin_) / CLOCKS_PER_SEC,
               used.ru_maxrss / 1024);
    begin_ = now;
  }

 private:
  std::clock_t begin_ = std::clock();
};

SweepPlan plan_of(std::size_t cases) {
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"roma_like", "lightglue_like"};
  request.repeat = static_cast<int>(cases / 2);
  request.threads = 1;
  return plan_sweep(request);
}

Record record_of(const Case& planned) {
  Record record = synthetic_record(
      planned.scene, planned.method, 42,
      (planned.method == "roma_like" ? 0.8 : 1.6) + 1e-4 * static_cast<double>(planned.seed % 97));
  Record whole = planned_record(planned);
  whole.status = Status::ok;
  whole.metrics = std::move(record.metrics);
  whole.stages = std::move(record.stages);
  whole.timing = record.timing;
  whole.peak_rss_bytes = record.peak_rss_bytes;
  whole.output_sha256 = record.output_sha256;
  return whole;
}

TEST(ManyCases, ArePlannedJournalledSealedVerifiedGatedAndShown) {
  const std::size_t cases = number_of_cases();
  const TemporaryDirectory folder;
  const std::filesystem::path bundle = folder / "20250520T101112Z";
  std::filesystem::create_directories(bundle);
  Steps steps;
  const SweepPlan plan = plan_of(cases);
  steps.end("plan");
  {
    begin_command(bundle, "2025-05-20T10:11:12Z", {"c0ffee", "main", "## main", ""}, {"aqbench", "sweep"});
    append_to_file(bundle / kLogFile, "a log\n");
    Journal journal = Journal::create(bundle, plan, bundle.filename().string(), "2025-05-20T10:11:12Z",
                                      synthetic_results().environment);
    for (const Case& planned : plan.cases) journal.append(record_of(planned));
    end_command(bundle, "2025-05-20T10:11:13Z", {"c0ffee", "main", "## main", ""}, 0, {1.5, 1.25, 0.25});
  }
  steps.end("journal");
  EXPECT_EQ(read_journal(bundle, TornTail::refuse, KeptRecords::ends).ends.size(), cases);
  steps.end("status");
  {
    const Journal journal =
        Journal::resume(bundle, journal_header_of(plan, synthetic_results().environment), {});
    Results results = results_of_run(plan, journal, *synthetic_results().environment);
    write_file(bundle / kBaselineCopyName, baseline_text(synthetic_baseline(results)));
    steps.end("baseline");
    finalise_bundle(bundle, std::move(results));
  }
  steps.end("finalise");
  const GateInput input = read_gate_input(bundle);
  steps.end("verify");
  EXPECT_EQ(input.results.records.size(), cases);
  const Verdicts verdicts = gate(input.results, read_baseline(bundle / kBaselineCopyName));
  EXPECT_EQ(verdicts.exit_code(), ExitCode::pass);
  steps.end("gate");
  const std::string page = read_file(bundle / kReportName);
  EXPECT_LT(page.size(), 20'000'000u);
  EXPECT_THAT(page, HasSubstr(fmt::format("and {} cases more, in results.json", cases - kMaxPageCases)));
}

}  // namespace
}  // namespace aqbench
