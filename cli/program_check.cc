#include "cli/program_check.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "harness/planning/case_method.h"
#include "harness/running/method_run.h"
#include "pipeline/external/declared.h"
#include "pipeline/external/external.h"

namespace aqbench::cli {

void require_programs(std::span<const Case> cases) {
  for (const Case& planned : cases) {
    if (!starts_program(planned)) continue;
    const bool declared = !planned.declaration->empty();
    const MethodInput input = method_input(planned, method_of(planned), {});
    if (const std::string problem = declared ? declared_problem(input) : external_problem(input);
        !problem.empty())
      throw Error(ErrorKind::usage, fmt::format("method {}: {}", planned.method, problem));
  }
}

}  // namespace aqbench::cli
