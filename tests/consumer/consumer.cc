// Uses every header of the library once, and exits with 1 where an answer is not what it must be:
//   consumer [BUNDLE]
// Or scores n x 3 numbers of a file (float64, metres) and prints each metric as its exact bits:
//   consumer score FILE SCENE
#include <aqbench/ab.h>
#include <aqbench/evaluate.h>
#include <aqbench/metrics.h>
#include <aqbench/scenes.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace aq = aqbench::v1;

namespace {

bool failed = false;

void expect(bool holds, const char* what) {
  std::printf("%-6s %s\n", holds ? "ok" : "FAILED", what);
  failed = failed || !holds;
}

double value_of(const std::vector<aq::Metric>& metrics, const std::string& name) {
  for (const aq::Metric& metric : metrics)
    if (metric.name == name) return metric.value.value_or(std::nan(""));
  return std::nan("");
}

void use_scenes_and_metrics() {
  const aq::Scene plane("flat_plane");
  std::array<double, 3> closest{};
  plane.closest_points(std::array{0.0, 0.0, 1.0}, closest, {}, {});
  std::vector<double> points;
  for (int x = -20; x <= 20; ++x)
    for (int y = -10; y <= 10; ++y) points.insert(points.end(), {x / 100.0, y / 100.0, closest[2] - 0.001});
  const std::vector<aq::Metric> metrics = aq::score(points, plane);
  expect(std::abs(value_of(metrics, "accuracy_mean_mm") - 1) < 1e-9, "a cloud 1 mm off scores 1 mm");
  expect(metrics.front().better == "lower" && metrics.front().unit == "mm",
         "a metric has unit and direction");
  const std::array corners = {-0.2, -0.1, closest[2], 0.2, -0.1, closest[2], 0.0, 0.1, closest[2]};
  const std::array<std::uint32_t, 3> triangle = {0, 1, 2};
  expect(value_of(aq::score_mesh(corners, triangle, plane), "mesh_components") == 1, "a mesh is scored");
  const std::array depths = {0.2F, 0.3F, 0.0F};
  expect(value_of(aq::score_depth(depths, depths), "depth_fill_rate_pct") == 100, "a depth map is scored");
}

void use_evaluation() {
  const std::array corners = {-0.3, -0.2, 1.0, 0.3, -0.2, 1.0, 0.3, 0.2, 1.0, -0.3, 0.2, 1.0};
  const std::array<std::uint32_t, 6> triangles = {0, 1, 2, 0, 2, 3};
  std::vector<double> points_mm;
  for (int x = -20; x <= 20; ++x)
    for (int y = -10; y <= 10; ++y) points_mm.insert(points_mm.end(), {10.0 * x, 10.0 * y, 1000.5});
  const std::array<aq::Geometry, 2> geometries = {
      {{.name = "cloud", .points = points_mm}, {.name = "plane", .points = corners, .triangles = triangles}}};
  try {
    const aq::Evaluation found = aq::evaluate({"cloud", "--truth", "plane", "--unit", "mm"}, geometries);
    expect(std::abs(value_of(found.metrics, "accuracy_mean_mm") - 0.5) < 1e-9,
           "a cloud in millimetres against a mesh scores 0.5 mm");
    aq::evaluate({"cloud", "--truth", "plane"}, geometries);
    expect(false, "points in the wrong unit are refused");
  } catch (const aq::Failure& failure) {
    const std::string line = failure.what();
    expect(line.find("look like millimetres") != line.npos,
           ("the program's line is thrown: " + line).c_str());
  }
}

void use_cameras() {
  const std::vector<aq::Camera> cameras = aq::make_rig("ring12", {{"width", "64"}, {"height", "48"}});
  const std::array pixel = {10.0, 20.0};
  std::array<double, 3> origin{}, direction{}, point{};
  std::array<double, 2> back{};
  cameras.front().cast(pixel, origin, direction);
  for (int i = 0; i < 3; ++i) point[i] = origin[i] + 0.15 * direction[i];
  cameras.front().project(point, back, {});
  expect(std::hypot(back[0] - pixel[0], back[1] - pixel[1]) < 1e-6, "a ray projects onto its pixel");
  try {
    const aq::View view = aq::render(aq::Scene("undulating"), cameras.front());
    expect(view.values.size() == 64 * 48 && view.depth_along_ray_m.size() == 64 * 48, "an image is rendered");
  } catch (const aq::Failure& failure) {  // libaqbench_images.so is a separate package
    const bool no_module = std::string(failure.what()).find("module") != std::string::npos;
    expect(no_module, ("without the module images that is said: " + std::string(failure.what())).c_str());
  }
}

void use_comparisons(const char* bundle) {
  std::vector<double> a, b;
  for (int i = 0; i < 40; ++i) {
    a.push_back(1 + 0.001 * (i % 7));
    b.push_back(1.1 * (1 + 0.001 * (i % 5)));
  }
  expect(aq::compare(a, b).verdict == "REGRESSED", "10 % more is a regression");
  if (bundle != nullptr) expect(!aq::open_bundle(bundle).cases.empty(), "a bundle has cases");
  try {
    const aq::Scene none("undulatin");
    expect(false, "an unknown scene is refused");
  } catch (const aq::Failure& failure) {
    expect(failure.exit_code == 2 && std::string(failure.what()).find("undulating") != std::string::npos,
           "an unknown scene is refused, with a near name");
  }
}

int score_file(const std::string& path, const std::string& scene) {
  std::vector<double> points(std::filesystem::file_size(path) / sizeof(double));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(points.data()),
            static_cast<std::streamsize>(points.size() * sizeof(double)));
  for (const aq::Metric& metric : aq::score(points, aq::Scene(scene)))
    if (metric.value) std::printf("%s %a\n", metric.name.c_str(), *metric.value);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "score") return score_file(argv[2], argv[3]);
  use_scenes_and_metrics();
  use_evaluation();
  use_cameras();
  use_comparisons(argc > 1 ? argv[1] : nullptr);
  return failed ? 1 : 0;
}
