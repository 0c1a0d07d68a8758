#pragma once
// Inside the library, not installed: conversions at its boundary, and the hidden data of the classes in
// aqbench/scenes.h.

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "aqbench/failure.h"
#include "aqbench/metric.h"
#include "core/error.h"
#include "core/text.h"
#include "metrics/metric.h"
#include "scenes/optics/camera.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/scene.h"

namespace aqbench::v1 {

// Returns the result of `body`; an Error becomes a Failure with the line that the program prints.
template <class Body>
auto with_failures(const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Failure(static_cast<int>(exit_code(error.kind())), printable(error.what()));
  } catch (const std::filesystem::filesystem_error& error) {
    throw Failure(static_cast<int>(ExitCode::io),
                  fmt::format("{}: {}", printable(error.path1().string()), error.code().message()));
  }
}

// Throws the Failure of an array of the wrong length.
inline void require_length(std::string_view what, std::size_t length, std::size_t wanted) {
  if (length != wanted) throw Failure(2, fmt::format("{}: {} values, expected {}", what, length, wanted));
}

// Returns the metrics in their order.
inline std::vector<Metric> metrics_of(const MetricSet& set) {
  std::vector<Metric> metrics;
  metrics.reserve(set.size());
  for (const auto& [name, metric] : set)
    metrics.push_back({name, metric.unit, metric.value, metric.reason, to_string(metric.better)});
  return metrics;
}

// The program's scene inside a Scene.
struct SceneData {
  aqbench::Scene scene;
};

// The program's camera inside a Camera, prepared for projection.
struct CameraData {
  aqbench::Camera camera;
  RefractiveCamera refractive;
};

// Returns n x 3 values as n points, without a copy.
inline std::span<const Vec3> as_points(std::span<const double> values) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double) && alignof(Vec3) <= alignof(double) * 2);
  return {reinterpret_cast<const Vec3*>(values.data()), values.size() / 3};
}

}  // namespace aqbench::v1
