#pragma once
// One metric value as it stands in a record.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/interned_text.h"
#include "core/members.h"

namespace aqbench {

// The direction in which a change is an improvement; `equal` means that any change beyond the tolerance is a
// failure.
enum class Better { lower, higher, equal };
constexpr auto json_values(Better) { return std::array{Better::lower, Better::higher, Better::equal}; }

// The value of one metric.
struct Metric {
  std::optional<double> value;  // nullopt: undefined, and `reason` says why; never NaN, never a stand-in 0
  InternedText unit;            // "mm", "%", "1", "deg", "points"
  Better better = Better::lower;
  InternedText reason;

  template <class Row>
  static void members(const Row& row) {
    row("value", &Metric::value);
    row("unit", &Metric::unit);
    row("better", &Metric::better);
    row("reason", &Metric::reason, kLeftOut | kNotEmpty, "Why the value is undefined.");
  }
};

// Metrics by name, in the order of the registry (metrics/registry.h). Names are unique.
using MetricSet = std::vector<std::pair<InternedText, Metric>>;

// The reasons for values that no run of the method can have against its truth, such as a scan.
inline constexpr const char* kNoPatchToInset = "the true surface has no patch to inset";
inline constexpr const char* kNoPatchToTile = "the true surface has no patch to cut into tiles";
inline constexpr const char* kNoAreaOfCloud = "the area of a cloud is not known";
inline constexpr const char* kNoTrueCorners = "no corner of the board has a known position";

// The reason for values of depth maps where the method is of a kind that gives none.
inline constexpr const char* kNoDepthMaps = "the method gives no depth maps";

// Returns whether the metric is undefined for one of these reasons: then it need not be gated.
bool is_never_defined(const Metric& metric);

// Finds a metric by name; returns nullptr if there is none.
const Metric* find_metric(const MetricSet& set, std::string_view name);

// Returns "lower", "higher" or "equal".
std::string to_string(Better better);

}  // namespace aqbench
