#include "harness/planning/case_method.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json.h"

namespace aqbench {
namespace {

bool has_trait(const Case& planned, bool MethodSpec::*trait) {
  if (!planned.workload.empty()) return false;
  if (!planned.declaration->empty()) return declared_method({}).*trait;
  const auto known = std::ranges::find(method_registry(), planned.method, &MethodSpec::name);
  return known != method_registry().end() && (*known).*trait;
}

}  // namespace

MethodSpec method_of(const Case& planned) {
  if (planned.declaration->empty()) return find_method(planned.method);
  return declared_method(declaration_from_json(JsonPlace(*planned.declaration, "method " + planned.method)));
}

bool starts_program(const Case& planned) { return has_trait(planned, &MethodSpec::starts_program); }
bool tells_own_stages(const Case& planned) { return has_trait(planned, &MethodSpec::tells_own_stages); }
bool gives_depth_maps(const Case& planned) { return has_trait(planned, &MethodSpec::gives_depth_maps); }
bool uses_libraries(const Case& planned) { return !planned.simulated && !starts_program(planned); }

}  // namespace aqbench
