#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "core/error.h"
#include "harness/eval/eval_protocol.h"
#include "scenes/cloud/npy.h"

namespace aqbench {
namespace {

struct Maps {
  std::vector<std::size_t> shape;  // views, height, width, and 3 of points
  std::vector<float> values;
};

// Reads views x height x width (x 3), or of one view without the first.
Maps read_maps(const std::string& file, bool of_points, double factor) {
  NpyArray array = read_npy(file);
  Maps maps{std::move(array.shape), {}};
  const std::size_t sizes = of_points ? 4 : 3;
  if (maps.shape.size() == sizes - 1) maps.shape.insert(maps.shape.begin(), 1);
  if (maps.shape.size() != sizes || (of_points && maps.shape.back() != 3))
    throw input_error.of_file(file, "{} values: expected {}", fmt::join(maps.shape, " x "),
                              of_points ? "views x height x width x 3" : "views x height x width");
  std::visit([&](const auto& read) { maps.values.assign(read.begin(), read.end()); }, array.values);
  for (float& value : maps.values) value = static_cast<float>(value * factor);
  return maps;
}

void require_views(const std::string& file, const Maps& maps, const std::string& truth_file,
                   const Maps& truth) {
  for (const std::size_t size : {0, 1, 2})
    if (maps.shape[size] != truth.shape[size])
      throw input_error.of_file(file, "{} values where {} has {}", fmt::join(maps.shape, " x "), truth_file,
                                fmt::join(truth.shape, " x "));
}

}  // namespace

ShownProtocol score_point_maps(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                               const PointMapProtocol& protocol, std::vector<std::string>& notes) {
  PointMapKnobs knobs = protocol.knobs;
  take_knobs(request, point_map_knobs(), knobs);
  const std::string& truth_file = cloud.truth_files[0];
  const Maps predicted = read_maps(cloud.cloud_file, true, cloud.metres_per_unit);
  Maps truth = read_maps(truth_file, true, cloud.truth_metres_per_unit);
  require_views(cloud.cloud_file, predicted, truth_file, truth);
  if (!request.mask_file.empty()) {
    const Maps mask = read_maps(request.mask_file, false, 1);
    require_views(request.mask_file, mask, truth_file, truth);
    for (std::size_t i = 0; i < mask.values.size(); ++i)
      if (mask.values[i] == 0) truth.values[3 * i] = std::numeric_limits<float>::quiet_NaN();
  }
  Maps confidence;
  if (!request.confidence_file.empty()) {
    confidence = read_maps(request.confidence_file, false, 1);
    require_views(request.confidence_file, confidence, truth_file, truth);
  } else if (knobs.min_confidence > 0) {
    throw usage_error("knob min_confidence: needs --confidence");
  }
  ShownProtocol shown{protocol.name, protocol.source, knobs_json(point_map_knobs(), knobs), {}, {}, {}};
  const PointMaps maps{truth.shape[0],   truth.shape[1], truth.shape[2],
                       predicted.values, truth.values,   confidence.values};
  shown.result = point_map_errors(maps, knobs);
  const auto bad = std::ranges::count_if(predicted.values, [](float value) { return !std::isfinite(value); });
  if (bad > 0 && knobs.zero_error)
    notes.push_back(fmt::format(
        "{} predicted values are not finite; as in the published program their errors count as 0", bad));
  return shown;
}

}  // namespace aqbench
