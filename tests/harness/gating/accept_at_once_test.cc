// Several processes accept into one file.

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "harness/gating/accept.h"
#include "reports/bundle/verify.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

// Each reads the file, changes a tolerance of its own and writes it.
TEST(AcceptAtOnce, SeveralLoseNothing) {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder / "seed.json";
  constexpr AcceptExceptions kAllowed{.leave_out_undefined = true};
  Results results = synthetic_results();
  const std::filesystem::path bundle = synthetic_bundle(folder.path(), results);
  accept_baseline(read_accepted_run(bundle), file, kAllowed);
  const AcceptedRun run = read_accepted_run(bundle);
  const std::array metrics = {"accuracy_mean_mm", "accuracy_rmse_mm", "nmad_mm", "hausdorff_p95_mm"};
  for (int round = 1; round <= 5; ++round) {
    const Tolerance tolerance{Tolerance::Kind::absolute, 0.01 * round};
    std::vector<std::thread> all;
    for (const char* const metric : metrics)
      all.emplace_back([&, metric] {
        AcceptedRun own = run;
        own.tolerances = {{metric, tolerance}};
        accept_baseline(own, file, kAllowed);
      });
    for (std::thread& one : all) one.join();
    const Baseline baseline = read_baseline(file);
    for (const char* const metric : metrics)
      EXPECT_EQ(find_metric(baseline.cases[0], metric)->tolerance.value, tolerance.value) << metric;
  }
}

}  // namespace
}  // namespace aqbench
