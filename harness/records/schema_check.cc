#include "harness/records/schema_check.h"

#define VALIJSON_USE_EXCEPTIONS 1  // without them it aborts on out of memory

#include <algorithm>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "core/resources.h"
#include "core/table.h"
#include "core/text.h"

namespace aqbench {
namespace {

// valijson does not check for failed allocations. While an object of this class exists, they end the program.
class EndWithoutMemory {
 public:
  EndWithoutMemory() : before_(std::set_new_handler(end_without_memory)) {}
  EndWithoutMemory(const EndWithoutMemory&) = delete;
  EndWithoutMemory& operator=(const EndWithoutMemory&) = delete;
  ~EndWithoutMemory() { std::set_new_handler(before_); }

 private:
  std::new_handler before_;
};

const valijson::Schema& results_schema() {
  static const auto schema = [] {
    const EndWithoutMemory instead_of_a_crash;
    auto parsed = std::make_unique<valijson::Schema>();
    auto document = nlohmann::json::parse(results_schema_text());
    // Records are checked with what those of units leave out (whole_record()), so that one definition serves.
    document["properties"]["records"]["items"] = {{"$ref", "#/definitions/record"}};
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

// Returns the problem of a document whose record 0 is number `first`.
std::optional<std::string> problem_of(const nlohmann::json& document, std::size_t first) {
  thread_local valijson::Validator validator;  // keeps its compiled patterns, which take half the time
  valijson::ValidationResults problems;
  const valijson::adapters::NlohmannJsonAdapter adapter(document);
  if (validator.validate(results_schema(), adapter, &problems)) return std::nullopt;
  // A nested problem is also reported at each level above it; the deepest is the most specific.
  const auto deepest = std::max_element(problems.begin(), problems.end(), [](const auto& a, const auto& b) {
    return a.context.size() < b.context.size();
  });
  if (deepest == problems.end()) return "document: does not follow the schema";
  std::vector<std::string> context = deepest->context;
  if (first > 0 && context.size() > 2 && context[2] == "[0]") context[2] = "[" + std::to_string(first) + "]";
  return elide_middle(printable(json_path(context) + ": " + deepest->description), 300);
}

// A valid document without records.
const nlohmann::json& empty_results() {
  static const std::string hash(64, '0'), utc = "2026-01-01T00:00:00Z";
  static const nlohmann::json document = {{"schema_version", 2},
                                          {"run",
                                           {{"id", "x"},
                                            {"suite", nullptr},
                                            {"started_utc", utc},
                                            {"finished_utc", utc},
                                            {"complete", true},
                                            {"planned_cases", 1},
                                            {"plan_sha256", hash},
                                            {"requested", nlohmann::json::object()},
                                            {"effective", nlohmann::json::object()}}},
                                          {"environment", nlohmann::json::object()},
                                          {"records", nlohmann::json::array()}};
  return document;
}

}  // namespace

std::optional<std::string> results_schema_problem(const Json& json) {
  const nlohmann::json document = json;
  return problem_of(document, 0);
}

std::optional<std::string> record_schema_problem(const Json& record, std::size_t index) {
  nlohmann::json document = empty_results();
  document["records"].push_back(nlohmann::json(record));
  return problem_of(document, index);
}

}  // namespace aqbench
