// Readers of single files. Accepted ones are written and read again if possible: the texts must agree.
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/json.h"
#include "harness/ab/benchmark_file.h"
#include "harness/ab/document.h"
#include "harness/ab/samples.h"
#include "harness/gating/baseline.h"
#include "harness/measuring/samplers.h"
#include "harness/planning/suite.h"
#include "harness/records/results.h"
#include "metrics/mesh_metrics.h"
#include "pipeline/views/dataset_views.h"
#include "reports/html/pictures.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/npy.h"
#include "scenes/cloud/ply.h"
#include "scenes/cloud/transform.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/images/images.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refractive_camera.h"
#include "tests/fuzz/fuzz_target.h"

namespace aqbench::fuzz {
namespace {

using Bytes = std::string_view;
using Folder = std::filesystem::path;

constexpr const char* kSource = "input";

void read_ply_target(Bytes bytes, const Folder& folder) {
  const GeometryFile file = read_ply(put_file(folder / "input.ply", bytes));
  if (file.mesh) check_mesh(*file.mesh);
}

void read_npy_target(Bytes bytes, const Folder& folder) {
  const NpyArray array = read_npy(put_file(folder / "input.npy", bytes));
  std::visit(
      [&](const auto& values) {
        std::size_t count = 1;
        for (const std::size_t size : array.shape) count *= size;
        if (count != values.size()) throw Broken("npy: the shape does not match the values");
      },
      array.values);
}

void read_npz_target(Bytes bytes, const Folder& folder) {
  for (const auto& [name, array] : read_npz(put_file(folder / "input.npz", bytes)))
    (void)read_npy_bytes(array, name);
}

void read_depth_target(Bytes bytes, const Folder& folder) {
  const DepthImage image = read_depth_image(put_file(folder / "input.depth", bytes));
  const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
  if (image.values.size() != width * height) throw Broken("depth: the size does not match the values");
}

// A camera of 16 x 12 px above the water, without distortion.
Rig small_rig() {
  Camera camera;
  camera.name = "cam00";
  camera.intrinsics.K << 20, 0, 7.5, 0, 20, 5.5, 0, 0, 1;
  camera.intrinsics.width_px = 16;
  camera.intrinsics.height_px = 12;
  camera.interface = WaterInterface{};
  return {{camera}};
}

void read_image_target(Bytes bytes, const Folder& folder) {
  const Folder dataset = folder / "dataset";
  const Folder image = dataset / "images" / "cam00" / "000000.png";
  if (!std::filesystem::exists(image.parent_path())) {
    std::filesystem::create_directories(image.parent_path());
    put_file(dataset / "calibration.json", calibration_json(small_rig(), {}));
  }
  put_file(image, bytes);
  (void)read_dataset_views(dataset);
}

void read_calibration_target(Bytes bytes, const Folder&) {
  const Rig rig = parse_calibration(bytes, kSource);
  const std::string text = calibration_json(rig, {});
  require_same(text, calibration_json(parse_calibration(text, kSource), {}), "calibration");
  for (const Camera& camera : rig.cameras) (void)refractive_camera(camera);
}

void read_scene_target(Bytes bytes, const Folder& folder) {
  std::filesystem::create_directories(folder / "truth");
  put_file(folder / "truth" / "scene.json", bytes);
  (void)read_dataset_scene(folder);
}

void read_suite_target(Bytes bytes, const Folder& folder) {
  const std::string text = to_json(read_suite_file(put_file(folder / "input.json", bytes))).dump();
  const Json again = parse_strict_json(text, kSource);
  require_same(text, to_json(suite_from_json(again, kSource)).dump(), "suite");
}

void read_baseline_target(Bytes bytes, const Folder&) {
  const std::string text = baseline_text(baseline_from_json(parse_strict_json(bytes, kSource), kSource));
  const Json again = parse_strict_json(text, kSource);
  require_same(text, baseline_text(baseline_from_json(again, kSource)), "baseline");
}

void read_results_target(Bytes bytes, const Folder&) {
  const Results results = results_from_text(bytes, kSource);
  const std::string text = results_text(results);
  require_same(text, results_text(results_from_text(text, kSource)), "results");
}

void read_samples_target(Bytes bytes, const Folder&) {
  const AbSamples samples = ab_samples_from_lists(parse_strict_json(bytes, kSource), kSource);
  AbSamples again;
  again.order_seed = samples.order_seed;
  again.cases = samples.cases;
  std::vector<Record> records;
  for (const Record& unit : samples.units) records.push_back(record_from_json(to_json(unit)));
  add_units(std::move(records), again);
  check_pairs(again);
  require_same(to_json(samples).dump(), to_json(again).dump(), "samples");
}

// Times of another tool become results, which are read as written.
void read_benchmarks_target(Bytes bytes, const Folder& folder) {
  const std::string text = results_text(results_of_benchmarks(put_file(folder / "input.json", bytes)));
  require_same(text, results_text(results_from_text(text, kSource)), "results of another tool");
}

void read_tiles_target(Bytes bytes, const Folder&) {
  if (bytes.starts_with("file,"))
    (void)parse_picture_list(bytes, kSource);
  else
    (void)parse_tiles_csv(bytes, kSource);
}

void read_folded_target(Bytes bytes, const Folder&) {
  const std::string text = folded_text(read_folded(bytes, kSource));
  require_same(text, folded_text(read_folded(text, kSource)), "folded stacks");
}

}  // namespace

std::vector<Target> file_targets() {
  return {{"ply", read_ply_target},
          {"xyz", [](Bytes bytes,
                     const Folder& folder) { (void)read_cloud_file(put_file(folder / "input.xyz", bytes)); }},
          {"pts", [](Bytes bytes,
                     const Folder& folder) { (void)read_cloud_file(put_file(folder / "input.pts", bytes)); }},
          {"npy", read_npy_target},
          {"npz", read_npz_target},
          {"depth", read_depth_target},
          {"image", read_image_target},
          {"calibration", read_calibration_target},
          {"transform",
           [](Bytes bytes, const Folder& folder) {
             (void)read_similarity(put_file(folder / "input.json", bytes));
           }},
          {"scene", read_scene_target},
          {"suite", read_suite_target},
          {"baseline", read_baseline_target},
          {"results", read_results_target},
          {"samples", read_samples_target},
          {"comparison",
           [](Bytes bytes, const Folder&) { (void)document_of(results_from_text(bytes, kSource)); }},
          {"benchmarks", read_benchmarks_target},
          {"tiles", read_tiles_target},
          {"folded", read_folded_target}};
}

}  // namespace aqbench::fuzz
