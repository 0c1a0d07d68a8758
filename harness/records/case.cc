#include "harness/records/case.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json_place.h"
#include "harness/records/json_values.h"

namespace aqbench {
namespace {

Json pixels_json(const std::optional<int>& pixels) { return pixels ? Json(*pixels) : Json(nullptr); }

Json images_json(const std::optional<CaseImages>& images) {
  if (!images) return nullptr;
  return {{"rig", images->rig},
          {"imaging", images->imaging},
          {"width_px", pixels_json(images->width_px)},
          {"height_px", pixels_json(images->height_px)}};
}

}  // namespace

Json to_json(const Case& planned) {
  Json overrides = Json::array();
  for (const Override& given : planned.overrides) overrides.push_back(override_text(given));
  Json faults = Json::array();
  for (const Fault& fault : planned.faults)
    faults.push_back({{"stage", fault.stage}, {"effect", fault.effect}});
  Json json = {{"case", planned.name},
               {"scene", planned.scene},
               {"method", planned.method},
               {"preset", planned.preset},
               {"workload", planned.workload},
               {"seed", planned.seed},
               {"threads", planned.threads},
               {"device", planned.device},
               {"simulated", planned.simulated},
               {"images", images_json(planned.images)},
               {"axes", named_values_json(planned.axes)},
               {"overrides", overrides},
               {"options", named_values_json(planned.options)},
               {"faults", faults}};
  if (planned.timing != TimingPlan{}) json["timing"] = to_json(planned.timing);
  return json;
}

std::string override_text(const Override& given) {
  return fmt::format("{}.{}={}", given.owner, given.parameter, given.value);
}

}  // namespace aqbench
