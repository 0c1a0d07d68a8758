#include "harness/records/case.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/json_members.h"

namespace aqbench {

// An override is a text.
template <>
struct JsonOf<Override> {
  static Json write(const Override& given, unsigned, JsonForm = {}) { return override_text(given); }
  static void read(const JsonPlace& place, Override& given, unsigned, JsonForm = {}) {
    try {
      given = parse_override(place.text());
    } catch (const Error& error) {
      place.fail(error.what());
    }
  }
};

Case case_from_json(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  Case planned = from_json<Case>(root);
  if (to_json(planned) != json) root.fail("was not written by aqbench");
  return planned;
}

Json to_json(const Case& planned) { return JsonOf<Case>::write(planned); }

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
