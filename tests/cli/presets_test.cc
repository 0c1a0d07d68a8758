// The presets of plane_sweep are ordered: a slower one is nowhere worse than a faster one, at any size of the
// images. The gate of suite pipeline holds the values of `fast` and `balanced`.

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using Json = nlohmann::ordered_json;

// What noise may make of two presets that are equally good.
constexpr double kRmseSlack = 1.01, kCompletenessSlack_pct = 0.1;

// (case without its preset) -> preset -> metrics and the time "cold_ms"
using Ladder = std::map<std::string, std::map<std::string, Json>>;

Ladder ladder_of(const std::filesystem::path& results) {
  Ladder ladder;
  const Json document = json_file<Json>(results);
  for (const Json& record : document.at("records")) {
    std::string name = record.at("case").get<std::string>();
    const std::size_t begin = name.find(":") + 1, end = name.find('/', begin);
    EXPECT_EQ(record.at("status"), "ok") << name;
    const std::string preset = name.substr(begin, end - begin);
    Json values = record.at("metrics");
    values["cold_ms"] = record.at("timing").at("cold_ms");
    ladder[name.erase(begin, end - begin)][preset] = std::move(values);
  }
  return ladder;
}

double value_of(const Json& metrics, const char* name) { return metrics.at(name).at("value").get<double>(); }

void expect_ordered(const Ladder& ladder) {
  constexpr std::array<std::pair<const char*, const char*>, 2> kSteps = {
      {{"fast", "balanced"}, {"balanced", "quality"}}};
  for (const auto& [name, presets] : ladder) {
    ASSERT_EQ(presets.size(), 3u) << name;
    for (const auto& [faster, slower] : kSteps) {
      EXPECT_LE(value_of(presets.at(slower), "accuracy_rmse_mm"),
                kRmseSlack * value_of(presets.at(faster), "accuracy_rmse_mm"))
          << name << ": " << slower << " against " << faster;
      EXPECT_GE(value_of(presets.at(slower), "completeness_2mm_pct"),
                value_of(presets.at(faster), "completeness_2mm_pct") - kCompletenessSlack_pct)
          << name << ": " << slower << " against " << faster;
    }
  }
}

// `make docs-bundle DOCS_MEASURED=presets` measures it again; docs_are_fresh verifies it.
TEST(Presets, AreOrderedInTheCommittedBundleUpTo3200Pixels) {
  const Ladder ladder =
      ladder_of(std::filesystem::path(AQBENCH_SOURCE_DIR) / "docs/bundles/presets/results.json");
  for (const char* const width : {"320", "480", "800", "1200", "1600", "2400", "3200"})
    EXPECT_EQ(ladder.count("undulating/plane_sweep:/seed=42/rig=arc6/width=" + std::string(width)), 1u)
        << width;
  expect_ordered(ladder);
  for (const auto& [name, presets] : ladder) {
    EXPECT_LT(presets.at("fast").at("cold_ms"), presets.at("balanced").at("cold_ms")) << name;
    EXPECT_LT(presets.at("balanced").at("cold_ms"), presets.at("quality").at("cold_ms")) << name;
  }
}

}  // namespace
}  // namespace aqbench::testing
