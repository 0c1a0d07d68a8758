#include "cli/program_check.h"

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/error.h"
#include "harness/planning/case_images.h"
#include "harness/planning/case_method.h"
#include "harness/running/journal.h"
#include "harness/running/method_run.h"
#include "harness/sharing/shared_results.h"
#include "pipeline/external/declared.h"
#include "pipeline/external/external.h"
#include "scenes/dataset/dataset_cache.h"

namespace aqbench::cli {

void require_programs(std::span<const Case> cases) {
  for (const Case& planned : cases) {
    if (renders_images(planned)) default_cache_dir();
    if (!starts_program(planned)) continue;
    const bool declared = !planned.declaration->empty();
    const MethodInput input = method_input(planned, method_of(planned), {});
    if (const std::string problem = declared ? declared_problem(input) : external_problem(input);
        !problem.empty())
      throw usage_error("method {}: {}", planned.method, problem);
  }
}

void require_programs_of_open(const SweepPlan& plan, const std::filesystem::path& bundle) {
  std::set<std::string> done;
  for (const CaseEnd& end : read_journal(bundle, TornTail::accept, KeptRecords::ends).ends)
    done.insert(end.case_name);
  const std::filesystem::path tasks = tasks_folder(bundle);
  if (std::filesystem::is_directory(tasks))
    for (const std::size_t place : published_places(tasks))
      if (place < plan.cases.size()) done.insert(plan.cases[place].name);
  for (const Case& planned : plan.cases)
    if (!done.contains(planned.name)) require_programs(std::span(&planned, 1));
}

}  // namespace aqbench::cli
