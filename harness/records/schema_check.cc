#include "harness/records/schema_check.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "core/table.h"
#include "core/text.h"

namespace aqbench {
namespace {

const valijson::Schema& results_schema() {
  static const auto schema = [] {
    auto parsed = std::make_unique<valijson::Schema>();
    const auto document = nlohmann::json::parse(results_schema_text());
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(document), *parsed);
    return parsed;
  }();
  return *schema;
}

// {"<root>", "[records]", "[0]", "[status]"} -> "records[0].status"
std::string json_path(const std::vector<std::string>& context) {
  std::string path;
  for (const std::string& step : context) {
    if (step == "<root>") continue;
    const bool index = step.size() > 2 && std::all_of(step.begin() + 1, step.end() - 1,
                                                      [](char c) { return c >= '0' && c <= '9'; });
    if (index || step.size() < 3)
      path += step;
    else
      path += (path.empty() ? "" : ".") + step.substr(1, step.size() - 2);
  }
  return path.empty() ? "document" : path;
}

}  // namespace

std::optional<std::string> results_schema_problem(const Json& json) {
  const nlohmann::json document = json;
  valijson::Validator validator;
  valijson::ValidationResults problems;
  const valijson::adapters::NlohmannJsonAdapter adapter(document);
  if (validator.validate(results_schema(), adapter, &problems)) return std::nullopt;
  // A problem deep inside is reported at each level above it too; the deepest says most.
  const auto deepest = std::max_element(problems.begin(), problems.end(), [](const auto& a, const auto& b) {
    return a.context.size() < b.context.size();
  });
  if (deepest == problems.end()) return "document: does not follow the schema";
  return elide_middle(printable(json_path(deepest->context) + ": " + deepest->description), 300);
}

}  // namespace aqbench
