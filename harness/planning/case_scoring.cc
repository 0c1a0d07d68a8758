#include "harness/planning/case_scoring.h"

#include <algorithm>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr double kMaxMm = 1e9;

std::vector<double> tolerances_m_of(const std::string& text) {
  std::vector<double> tolerances_m;
  for (const std::string_view part : split_at(text, ',')) {
    const auto length_mm = parse_double(part);
    if (!length_mm || !(*length_mm > 0) || !(*length_mm <= kMaxMm))
      throw usage_error("{}.thresholds_mm: '{}': expected positive lengths separated by commas: 1,5,10",
                        kScoringOwner, text);
    tolerances_m.push_back(*length_mm / 1000);
  }
  std::ranges::sort(tolerances_m);
  if (std::ranges::adjacent_find(tolerances_m) != tolerances_m.end())
    throw usage_error("{}.thresholds_mm: '{}': duplicate tolerance", kScoringOwner, text);
  return tolerances_m;
}

}  // namespace

const std::vector<ParameterSpec>& scoring_parameters() {
  static const std::vector<ParameterSpec> specs = {
      {.name = "thresholds_mm",
       .unit = "mm",
       .default_value = std::string("0.5,1,2,5,10"),
       .help = "tolerances of precision, completeness and F-score",
       .choices = {}},
      number_parameter("outlier_mm", "mm", 20.0, 1e-6, kMaxMm,
                       "distance beyond which a point is a gross outlier"),
      number_parameter("spacing_mm", "mm", 0.0, 0, kMaxMm,
                       "spacing of truth samples for completeness; 0 means 2/3 mm"),
      number_parameter("tile_mm", "mm", 10.0, 1e-6, kMaxMm, "side of an error tile"),
  };
  return specs;
}

bool says_how_to_score(const Case& planned) {
  return std::ranges::any_of(planned.overrides,
                             [](const Override& given) { return given.owner == kScoringOwner; });
}

ScoreOptions case_score_options(const Case& planned) {
  ScoreOptions options;
  if (!says_how_to_score(planned)) return options;
  const Parameters parameters = resolve_parameters(kScoringOwner, scoring_parameters(), planned.overrides);
  options.tolerances_m = tolerances_m_of(parameters.text("thresholds_mm"));
  options.outlier_m = parameters.number("outlier_mm") / 1000;
  options.tile_m = parameters.number("tile_mm") / 1000;
  if (const double spacing_mm = parameters.number("spacing_mm"); spacing_mm > 0)
    options.sample_spacing_m = spacing_mm / 1000;
  return options;
}

}  // namespace aqbench
