// Readers of other programs' files: geometry, cameras, recordings' truth, project files, stages, images.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "harness/project/project.h"
#include "metrics/mesh_metrics.h"
#include "metrics/protocols/trajectory.h"
#include "pipeline/external/program_stages.h"
#include "pipeline/external/stage_files.h"
#include "reports/site/site_run.h"
#include "scenes/cloud/camera_centres.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/crop.h"
#include "scenes/dataset/cameras_file.h"
#include "scenes/dataset/colmap_files.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/dataset/true_points.h"
#include "scenes/images/image_file.h"
#include "scenes/images/images.h"
#include "scenes/images/mat_file.h"
#include "scenes/optics/calibration_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace aqbench::fuzz {
namespace {

using Folder = std::filesystem::path;

constexpr const char* kGuestSource = "input";

void read_geometry(std::string_view bytes, const Folder& folder, const char* name) {
  const GeometryFile file = read_geometry_file(put_file(folder / name, bytes));
  if (file.mesh) check_mesh(*file.mesh);
}
void read_obj_target(std::string_view bytes, const Folder& folder) {
  read_geometry(bytes, folder, "input.obj");
}
void read_off_target(std::string_view bytes, const Folder& folder) {
  read_geometry(bytes, folder, "input.off");
}
void read_stl_target(std::string_view bytes, const Folder& folder) {
  read_geometry(bytes, folder, "input.stl");
}
void read_pcd_target(std::string_view bytes, const Folder& folder) {
  read_geometry(bytes, folder, "input.pcd");
}

void read_crop_target(std::string_view bytes, const Folder& folder) {
  Crop crop;
  add_crop(crop, put_file(folder / "input.json", bytes).string());
  (void)crop.contains({0, 0, 1});
}

void read_centres_target(std::string_view bytes, const Folder& folder) {
  (void)read_camera_centres(put_file(folder / "input.txt", bytes));
}

void read_trajectory_target(std::string_view bytes, const Folder& folder) {
  const Trajectory read = read_trajectory(put_file(folder / "input.txt", bytes));
  if (!read.stamps_s.empty() && read.stamps_s.size() != read.poses.size())
    throw Broken("trajectory: not as many times as poses");
  (void)pair_poses(read, read, 0.01);
}

void read_cameras_target(std::string_view bytes, const Folder& folder) {
  const NamedImages named = read_cameras_file(put_file(folder / "cameras.json", bytes));
  (void)calibration_json(named.rig, {});
}

constexpr const char* kModelFiles[] = {"cameras.txt", "images.txt", "points3D.txt"};
constexpr const char* kBinaryModelFiles[] = {"cameras.bin", "images.bin", "points3D.bin"};
constexpr const char* kGoodModel[] = {"1 OPENCV 16 12 20 20 8 6 0 0 0 0\n",
                                      "1 1 0 0 0 0 0 0 1 a.png\n\n2 1 0 0 0 -0.1 0 0 1 b.png\n4 5 1 8 6 -1\n",
                                      "1 0 0 1 9 9 9 0.5 1 0\n"};

// Replaces one file of a valid model, and restores it at the end: writing the whole model each time costs
// more than reading it.
class ChangedModel {
 public:
  ChangedModel(Folder model, std::size_t file, bool binary, std::string_view bytes)
      : model_(std::move(model)), file_(file), binary_(binary) {
    if (std::filesystem::create_directories(model_))
      for (std::size_t i = 0; i < std::size(kGoodModel); ++i)
        put_file(model_ / kModelFiles[i], kGoodModel[i]);
    if (binary_) std::filesystem::remove(model_ / kModelFiles[file_]);
    put_file(model_ / (binary_ ? kBinaryModelFiles : kModelFiles)[file_], bytes);
  }
  ~ChangedModel() {
    if (binary_) std::filesystem::remove(model_ / kBinaryModelFiles[file_]);
    put_file(model_ / kModelFiles[file_], kGoodModel[file_]);
  }
  ChangedModel(const ChangedModel&) = delete;
  ChangedModel& operator=(const ChangedModel&) = delete;

 private:
  Folder model_;
  std::size_t file_;
  bool binary_;
};

// The first byte selects the file of a COLMAP model; the others are valid.
void read_colmap_target(std::string_view bytes, const Folder& folder) {
  constexpr std::size_t kFiles = std::size(kModelFiles);
  const std::size_t which = bytes.empty() ? 0 : static_cast<unsigned char>(bytes[0]) % (2 * kFiles);
  const ChangedModel changed(folder / "model", which % kFiles, which >= kFiles,
                             bytes.substr(bytes.empty() ? 0 : 1));
  (void)read_colmap_model(folder / "model");
}

// A recording of one frame, with truth/truth.json.
void read_truth_target(std::string_view bytes, const Folder& folder) {
  Recording recording;
  recording.dir = folder / "recording";
  recording.images.resize(1);
  const Folder truth = recording.dir / "truth";
  std::filesystem::create_directories(truth);
  put_file(truth / "scan.xyz", "0 0 1\n1 0 1\n0 1 1\n");
  put_file(truth / "truth.json", bytes);
  (void)truth_text(find_recording_truth(recording));
}

void read_board_target(std::string_view bytes, const Folder& folder) {
  RecordingTruth truth;
  truth.board_file = put_file(folder / "board.json", bytes).string();
  (void)true_board(truth, 0);
}

void read_control_target(std::string_view bytes, const Folder& folder) {
  RecordingTruth truth;
  truth.control_file = put_file(folder / "points.json", bytes).string();
  (void)true_control_points(truth, 0);
}

void read_project_target(std::string_view bytes, const Folder& folder) {
  (void)read_project(put_file(folder / "aqbench.json", bytes));
}

void read_stages_target(std::string_view bytes, const Folder&) { (void)stages_of_file(bytes, kGuestSource); }

void read_stage_lines_target(std::string_view bytes, const Folder& folder) {
  StageSources sources;
  sources.lines_file = put_file(folder / "stages", bytes);
  sources.file = folder / "none.json";
  sources.end_ns = 1'000'000'000;
  (void)read_program_stages(sources);
}

void read_photograph_target(std::string_view bytes, const Folder&) {
  constexpr int kMaxPx = 2048;  // a recording's images have the size of its cameras
  const ImageInfo info = inspect_image(bytes, kGuestSource);
  const GreyImage image =
      decode_grey(bytes, std::min(info.width_px, kMaxPx), std::min(info.height_px, kMaxPx), kGuestSource);
  if (image.values.size() != static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height))
    throw Broken("photograph: the size does not match the values");
}

void read_mat_target(std::string_view bytes, const Folder& folder) {
  for (const auto& [name, array] : read_mat_file(put_file(folder / "input.mat", bytes))) {
    std::size_t count = 1;
    for (const std::size_t side : array.shape) count *= side;
    if (count != array.values.size()) throw Broken("MATLAB file: the size does not match the values");
  }
}

void read_site_line_target(std::string_view bytes, const Folder&) {
  const std::string line = site_line(site_run_of(bytes, kGuestSource));
  require_same(line, site_line(site_run_of(line, kGuestSource)), "line of a site");
}

}  // namespace

std::vector<Target> guest_targets() {
  return {{"obj", read_obj_target},
          {"off", read_off_target},
          {"stl", read_stl_target},
          {"pcd", read_pcd_target},
          {"crop", read_crop_target},
          {"centres", read_centres_target},
          {"trajectory", read_trajectory_target},
          {"cameras", read_cameras_target},
          {"colmap", read_colmap_target},
          {"truth", read_truth_target},
          {"board", read_board_target},
          {"control", read_control_target},
          {"project", read_project_target},
          {"stages", read_stages_target},
          {"stage_lines", read_stage_lines_target},
          {"photograph", read_photograph_target},
          {"mat", read_mat_target},
          {"site_line", read_site_line_target}};
}

}  // namespace aqbench::fuzz
