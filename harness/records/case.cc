#include "harness/records/case.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
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

int read_int(const JsonPlace& place) {
  const std::int64_t value = place.integer();
  if (value < INT32_MIN || value > INT32_MAX) place.fail(fmt::format("is {}", value));
  return static_cast<int>(value);
}

std::optional<CaseImages> read_images(const JsonPlace& place) {
  if (place.is_null()) return std::nullopt;
  const auto pixels = [](const JsonPlace& side) {
    return side.is_null() ? std::nullopt : std::optional(read_int(side));
  };
  return CaseImages{place.at("rig").text(), place.at("imaging").text(), pixels(place.at("width_px")),
                    pixels(place.at("height_px"))};
}

}  // namespace

Case case_from_json(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  Case planned;
  planned.name = root.at("case").text();
  planned.scene = root.at("scene").text();
  planned.method = root.at("method").text();
  planned.preset = root.at("preset").text();
  planned.workload = root.at("workload").text();
  planned.seed = root.at("seed").count();
  planned.threads = read_int(root.at("threads"));
  planned.device = root.at("device").text();
  planned.simulated = root.at("simulated").boolean();
  planned.images = read_images(root.at("images"));
  planned.axes = named_values_from_json(root.at("axes"));
  try {
    for (const JsonPlace& given : root.at("overrides").elements())
      planned.overrides.push_back(parse_override(given.text()));
  } catch (const Error& error) {
    root.at("overrides").fail(error.what());
  }
  planned.options = named_values_from_json(root.at("options"));
  if (const auto defaults = root.find("defaults")) planned.defaults = named_values_from_json(*defaults);
  for (const JsonPlace& fault : root.at("faults").elements())
    planned.faults.push_back({fault.at("stage").text(), fault.at("effect").text()});
  if (const auto timing = root.find("timing"))
    planned.timing = timing_plan_from_json(timing->value(), source);
  if (const auto declaration = root.find("declaration")) planned.declaration = declaration->value();
  if (to_json(planned) != json) root.fail("was not written by aqbench");
  return planned;
}

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
  if (!planned.defaults.empty()) json["defaults"] = named_values_json(planned.defaults);
  if (planned.timing != TimingPlan{}) json["timing"] = to_json(planned.timing);
  if (!planned.declaration->empty()) json["declaration"] = *planned.declaration;
  return json;
}

void add_options(Case& planned, std::string_view owner, const Parameters& parameters) {
  for (const auto& [name, value] : parameters.items())
    (parameters.is_default(name) ? planned.defaults : planned.options)
        .emplace_back(fmt::format("{}.{}", owner, name), value);
}

const ParameterValue* find_option(const Case& planned, std::string_view name) {
  const ParameterValue* const option = find_value(planned.options, name);
  return option != nullptr ? option : find_value(planned.defaults, name);
}

std::string override_text(const Override& given) {
  return fmt::format("{}.{}={}", given.owner, given.parameter, given.value);
}

}  // namespace aqbench
