// Readers of other programs' files: geometry, cameras, recordings' truth, project files, stages, images.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"
#include "harness/project/project.h"
#include "metrics/mesh_metrics.h"
#include "metrics/protocols/pose_protocol.h"
#include "pipeline/external/external.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/crop.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/layouts.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/images/image_file.h"
#include "scenes/images/images.h"
#include "scenes/images/mat_file.h"
#include "scenes/optics/calibration_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/scenes/images/small_png.h"

namespace aqbench::fuzz {
namespace {

using Bytes = std::string_view;
using Folder = std::filesystem::path;

constexpr const char* kGuestSource = "input";

void read_geometry(Bytes bytes, const Folder& folder, const char* name) {
  const GeometryFile file = read_geometry_file(put_file(folder / name, bytes));
  if (file.mesh) check_mesh(*file.mesh);
}

void read_crop_target(Bytes bytes, const Folder& folder) {
  Crop crop;
  add_crop(crop, put_file(folder / "input.json", bytes).string());
  (void)crop.contains({0, 0, 1});
}

void read_trajectory_target(Bytes bytes, const Folder& folder) {
  const Trajectory read = read_trajectory(put_file(folder / "input.txt", bytes));
  if (!read.stamps_s.empty() && read.stamps_s.size() != read.poses.size())
    throw Broken("trajectory: not as many times as poses");
  (void)pair_poses(read, read, 0.01);
}

void read_cameras_target(Bytes bytes, const Folder& folder) {
  const NamedImages named = read_cameras_file(put_file(folder / "cameras.json", bytes));
  (void)calibration_json(named.rig, {});
}

// A file of a folder, and a content that its reader accepts.
struct GoodFile {
  const char* folder;
  const char* name;
  std::string_view content;
};

void put(const Folder& file, Bytes bytes) {
  std::filesystem::create_directories(file.parent_path());
  put_file(file, bytes);
}

// Puts any bytes into a file of good ones, or into one of another name in its place, and restores it at the
// end: writing all of them each time costs more than reading them.
class ChangedFile {
 public:
  ChangedFile(const Folder& root, std::span<const GoodFile> good, std::span<const char* const> images,
              const GoodFile& changed, const char* name, Bytes bytes)
      : file_(root / changed.folder / changed.name),
        changed_(root / changed.folder / name),
        content_(changed.content) {
    if (std::filesystem::create_directories(root)) {
      for (const GoodFile& file : good) put(root / file.folder / file.name, file.content);
      for (const char* const image : images) put(root / image, small_png());
    }
    std::filesystem::remove(file_);
    put_file(changed_, bytes);
  }
  ~ChangedFile() {
    std::filesystem::remove(changed_);
    put_file(file_, content_);
  }
  ChangedFile(const ChangedFile&) = delete;
  ChangedFile& operator=(const ChangedFile&) = delete;

 private:
  Folder file_, changed_;
  std::string_view content_;
};

// Of bytes whose first one selects a file: which of so many, and the others.
std::pair<std::size_t, std::string_view> chosen_file(Bytes bytes, std::size_t files) {
  if (bytes.empty()) return {0, bytes};
  return {static_cast<unsigned char>(bytes[0]) % files, bytes.substr(1)};
}

constexpr GoodFile kModelFiles[] = {
    {"", "cameras.txt", "1 OPENCV 16 12 20 20 8 6 0 0 0 0\n"},
    {"", "images.txt", "1 1 0 0 0 0 0 0 1 a.png\n\n2 1 0 0 0 -0.1 0 0 1 b.png\n4 5 1 8 6 -1\n"},
    {"", "points3D.txt", "1 0 0 1 9 9 9 0.5 1 0\n"}};
constexpr const char* kBinaryModelFiles[] = {"cameras.bin", "images.bin", "points3D.bin"};

// One file of a COLMAP model, as text or binary.
void read_colmap_target(Bytes bytes, const Folder& folder) {
  constexpr std::size_t kFiles = std::size(kModelFiles);
  const auto [which, content] = chosen_file(bytes, 2 * kFiles);
  const GoodFile& changed = kModelFiles[which % kFiles];
  const ChangedFile keep(folder / "model", kModelFiles, {}, changed,
                         which < kFiles ? changed.name : kBinaryModelFiles[which - kFiles], content);
  (void)read_colmap_model(folder / "model");
}

constexpr const char* kImages[] = {"transforms/a.png", "mvsnet/images/00000000.png", "tanks/a.png",
                                   "eth3d/a.png", "frames/a.png"};

constexpr GoodFile kLayoutFiles[] = {
    {"transforms", "transforms.json",
     R"({"fl_x": 2, "frames": [{"file_path": "a", "transform_matrix": [[1, 0, 0, 0], [0, -1, 0, 0], )"
     R"([0, 0, -1, 0], [0, 0, 0, 1]]}]})"},
    {"mvsnet", "cams/00000000_cam.txt",
     "extrinsic\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n\nintrinsic\n2 0 0.5\n0 2 0.5\n0 0 1\n\n0.5 0.1\n"},
    {"mvsnet", "pair.txt", "1\n0\n0\n"},
    {"tanks", "Hill_COLMAP_SfM.log", "0 0 0\n1 0 0 0.5\n0 1 0 0\n0 0 1 0\n0 0 0 1\n"},
    {"tanks", "Hill_trans.txt", "2 0 0 0\n0 2 0 0\n0 0 2 0\n0 0 0 1\n"},
    {"tanks", "intrinsics.json",
     R"({"width": 2, "height": 2, "intrinsic_matrix": [2, 0, 0, 0, 2, 0, 0.5, 0.5, 1]})"},
    {"eth3d", "dslr_scan_eval/scan_alignment.mlp",
     "<MLMesh filename=\"scan.xyz\"><MLMatrix44>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</MLMatrix44></MLMesh>"},
    {"frames", "rigs.txt", "1 1 CAMERA 1\n"},
    {"frames", "frames.txt", "1 1 1 0 0 0 0 0 0 1 CAMERA 1 1\n"},
    {"eth3d", "dslr_scan_eval/scan.xyz", "0 0 1\n"},
    {"eth3d", "dslr_calibration_undistorted/cameras.txt", "1 PINHOLE 2 2 2 2 1 1\n"},
    {"eth3d", "dslr_calibration_undistorted/images.txt", "1 1 0 0 0 0 0 0 1 a.png\n\n"},
    {"frames", "cameras.txt", "1 PINHOLE 2 2 2 2 1 1\n"},
    {"frames", "images.txt", "1 1 0 0 0 0 0 0 1 a.png\n\n"}};
constexpr std::size_t kChangedFiles = 9;  // the first ones; other targets change the others

// One file of a folder in a layout of other programs.
void read_layouts_target(Bytes bytes, const Folder& folder) {
  const auto [which, content] = chosen_file(bytes, kChangedFiles);
  const GoodFile& changed = kLayoutFiles[which];
  const ChangedFile keep(folder / "layouts", kLayoutFiles, kImages, changed, changed.name, content);
  (void)truth_text(find_recording_truth(read_recording(folder / "layouts" / changed.folder)));
}

// A recording of one frame, with truth/truth.json.
void read_truth_target(Bytes bytes, const Folder& folder) {
  Recording recording;
  recording.dir = folder / "recording";
  recording.images.resize(1);
  const Folder truth = recording.dir / "truth";
  std::filesystem::create_directories(truth);
  put_file(truth / "scan.xyz", "0 0 1\n1 0 1\n0 1 1\n");
  put_file(truth / "truth.json", bytes);
  (void)truth_text(find_recording_truth(recording));
}

void read_board_target(Bytes bytes, const Folder& folder) {
  RecordingTruth truth;
  truth.board_file = put_file(folder / "board.json", bytes).string();
  (void)true_board(truth, 0);
}

void read_control_target(Bytes bytes, const Folder& folder) {
  RecordingTruth truth;
  truth.control_file = put_file(folder / "points.json", bytes).string();
  (void)true_control_points(truth, 0);
}

void read_stage_lines_target(Bytes bytes, const Folder& folder) {
  StageSources sources;
  sources.lines_file = put_file(folder / "stages", bytes);
  sources.file = folder / "none.json";
  sources.end_ns = 1'000'000'000;
  (void)read_program_stages(sources);
}

void read_photograph_target(Bytes bytes, const Folder&) {
  constexpr int kMaxPx = 2048;  // a recording's images have the size of its cameras
  const ImageInfo info = inspect_image(bytes, kGuestSource);
  const GreyImage image =
      decode_grey(bytes, std::min(info.width_px, kMaxPx), std::min(info.height_px, kMaxPx), kGuestSource);
  if (image.values.size() != static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height))
    throw Broken("photograph: the size does not match the values");
  if (info.format == ImageFormat::png && decode_png_mask(bytes, kGuestSource).size() != image.values.size())
    throw Broken("photograph: the size does not match the mask");
}

void read_mat_target(Bytes bytes, const Folder& folder) {
  for (const auto& [name, array] : read_mat_file(put_file(folder / "input.mat", bytes))) {
    std::size_t count = 1;
    for (const std::size_t side : array.shape) count *= side;
    if (count != array.size()) throw Broken("MATLAB file: the size does not match the values");
  }
}

}  // namespace

std::vector<Target> guest_targets() {
  return {
      {"obj", [](Bytes bytes, const Folder& folder) { read_geometry(bytes, folder, "input.obj"); }},
      {"off", [](Bytes bytes, const Folder& folder) { read_geometry(bytes, folder, "input.off"); }},
      {"stl", [](Bytes bytes, const Folder& folder) { read_geometry(bytes, folder, "input.stl"); }},
      {"pcd", [](Bytes bytes, const Folder& folder) { read_geometry(bytes, folder, "input.pcd"); }},
      {"crop", read_crop_target},
      {"centres",
       [](Bytes bytes, const Folder& folder) {
         (void)read_camera_centres(put_file(folder / "input.txt", bytes));
       }},
      {"trajectory", read_trajectory_target},
      {"cameras", read_cameras_target},
      {"colmap", read_colmap_target},
      {"layouts", read_layouts_target},
      {"truth", read_truth_target},
      {"board", read_board_target},
      {"control", read_control_target},
      {"project", [](Bytes bytes,
                     const Folder& folder) { (void)read_project(put_file(folder / "aqbench.json", bytes)); }},
      {"stages", [](Bytes bytes, const Folder&) { (void)stages_of_file(bytes, kGuestSource); }},
      {"stage_lines", read_stage_lines_target},
      {"photograph", read_photograph_target},
      {"mat", read_mat_target}};
}

}  // namespace aqbench::fuzz
