#pragma once
// What `aqbench eval` answers.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/table.h"
#include "harness/records/results.h"
#include "metrics/metric.h"

namespace aqbench {

// The side of the truth on which signed errors are positive and normals look, as definitions say it.
inline constexpr const char* kTowardsCameras = "towards the cameras";

// Stands for the table of the metrics of an answer.
struct MetricTable {
  bool all = true;  // else those that summaries show
  std::string positive_side = kTowardsCameras;
};

// JSON where that was asked for, else what is shown to people.
struct EvalAnswer {
  std::string json;                                                  // as shown_json() gives it
  std::optional<Results> results;                                    // for JSON and for a bundle
  MetricSet metrics;                                                 // of a cloud, mesh or depth map
  std::vector<std::variant<std::string, Table, MetricTable>> shown;  // in this order

  // Adds a text.
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) {
    shown.emplace_back(fmt::format(text, std::forward<Args>(args)...));
  }
};

// Returns the definition of a metric, with the side that this truth has.
std::string definition_with(const std::string& metric, const std::string& positive_side);

}  // namespace aqbench
