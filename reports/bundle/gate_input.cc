#include "reports/bundle/gate_input.h"

#include <fmt/format.h>

#include "core/error.h"
#include "harness/ab/benchmark_file.h"
#include "harness/ab/benchmark_results.h"
#include "harness/running/journal.h"
#include "reports/bundle/verify.h"
#include "reports/content/environment_text.h"

namespace aqbench {

GateInput read_gate_input(const std::filesystem::path& results_path, bool measured_here) {
  std::error_code error;
  if (!std::filesystem::exists(results_path / "results.json", error) && !benchmark_tool(results_path).empty())
    return {results_of_benchmarks(results_path, measured_here), false, true};
  if (!std::filesystem::is_directory(results_path, error)) return {read_results(results_path), false, false};
  GateInput input{{}, true, false};
  const VerifyReport report = verify_bundle(results_path, input.results);
  require_verified(report, results_path);
  require_sweep(input.results, results_path / "results.json");
  return input;
}

AcceptedRun read_accepted_run(const std::filesystem::path& bundle, bool measured_here) {
  std::error_code error;
  if (!std::filesystem::is_directory(bundle, error) && benchmark_tool(bundle).empty())
    throw Error(ErrorKind::input, bundle.string() + ": no bundle: only a verified bundle can be accepted");
  AcceptedRun run;
  run.bundle = bundle;
  GateInput input = read_gate_input(bundle, measured_here);
  run.results = std::move(input.results);
  run.times_alone = input.of_benchmark;
  if (run.times_alone) return run;
  const JournalHeader header = read_journal(bundle, TornTail::refuse, KeptRecords::ends).header;
  run.program_commit = header.program_commit;
  run.repository = users_commit(run.results);
  const Shard& shard = header.request.shard;
  if (header.plan_sha256 != header.all_shards_sha256)
    run.shard = fmt::format("{}/{}", shard.index, shard.count);
  for (const auto& [name, value] : environment_items(*run.results.environment))
    run.changed_sources = run.changed_sources || (name == "build.dirty" && value == "true");
  return run;
}

}  // namespace aqbench
