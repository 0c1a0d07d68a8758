#include "harness/planning/case_protocols.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/planning/suite.h"

namespace aqbench {
namespace {

constexpr const char* kNames = "names";

}  // namespace

const std::vector<ParameterSpec>& protocols_parameters() {
  static const std::vector<ParameterSpec> specs = {text_parameter(
      kNames, "", "protocols computed beside the metrics, NAME or NAME:KNOB=VALUE, separated by blanks")};
  return specs;
}

std::vector<AskedProtocol> case_protocols(const Case& planned) {
  if (std::ranges::none_of(planned.overrides, [](const Override& o) { return o.owner == kProtocolsOwner; }))
    return {};
  return parse_protocols(
      resolve_parameters(kProtocolsOwner, protocols_parameters(), planned.overrides).text(kNames));
}

void add_protocols(Case& planned) {
  std::string names;
  for (const AskedProtocol& asked : case_protocols(planned)) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", asked.protocol->name);
    const CloudKnobs own = knobs_at(*asked.protocol);
    for (const CloudKnob& knob : cloud_knobs())
      if (knob.text(asked.knobs) != knob.text(own))
        planned.options.emplace_back(
            fmt::format("{}.{}.{}", kProtocolsOwner, asked.protocol->name, knob.name),
            knob.text(asked.knobs));
  }
  if (!names.empty()) planned.defaults.emplace_back(fmt::format("{}.{}", kProtocolsOwner, kNames), names);
}

void ask_for_protocol(std::vector<Override>& sets, const std::string& protocol) {
  const auto set = std::ranges::find_if(sets, [](const Override& given) {
    return given.owner == kProtocolsOwner && given.parameter == kNames;
  });
  if (set == sets.end())
    sets.push_back({kProtocolsOwner, kNames, protocol});
  else
    set->value += " " + protocol;
}

}  // namespace aqbench
