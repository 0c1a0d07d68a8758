#include "cli/unplanned_bundle.h"

#include "core/files.h"
#include "harness/measuring/build_info.h"
#include "harness/project/project.h"
#include "harness/records/one_case.h"
#include "harness/running/journal.h"
#include "reports/content/commands.h"

namespace aqbench::cli {

ExitCode write_unplanned_bundle(const BundleStart& start, Results results,
                                const std::vector<std::pair<std::string, std::string>>& files,
                                std::FILE* stream) {
  const std::string baseline = baseline_to_accept(current_project(std::nullopt), results.run.suite);
  JournalHeader planned;
  planned.program_sha256 = program_sha256();
  planned.program_commit = build_info().commit;
  planned.numbers = results.run.requested;
  planned.environment = results.environment;
  planned.cases_text = cases_text_of(results.records);
  planned.plan_sha256 = planned.all_shards_sha256 = results.run.plan_sha256;
  BundleRun run(start, planned);
  for (const auto& [name, bytes] : files) write_file(run.bundle() / name, bytes);
  write_file(run.bundle() / kLogFile, "");
  for (const Record& record : results.records) run.journal().append(record);
  results.run.id = run.journal().header().run_id;
  results.run.started_utc = run.journal().header().started_utc;
  return run.finish(std::move(results), ExitCode::pass, stream,
                    shell_join({"aqbench", "accept", start.bundle->string(), "--baseline", baseline}));
}

}  // namespace aqbench::cli
