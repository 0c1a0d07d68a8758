#include "scenes/dataset/recording_truth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "scenes/cloud/ply_read.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFramePlaceholder = "{frame}";

bool is_file_here(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

double metres_of(const JsonPlace& place) {
  const std::string unit = place.text();
  if (unit == "m") return 1;
  if (unit == "cm") return 1e-2;
  if (unit == "mm") return 1e-3;
  place.fail(fmt::format("'{}' is none of m, cm, mm", unit));
}

// A file of truth/, for the frame.
fs::path file_of_frame(const fs::path& dir, std::string name, std::size_t frame) {
  if (const std::size_t at = name.find(kFramePlaceholder); at != std::string::npos)
    name.replace(at, kFramePlaceholder.size(), fmt::format("{:06}", frame));
  return dir / name;
}

// Every frame has its file now, not only when its case runs.
void require_files(const RecordingTruth& truth, const std::string& name, std::size_t frames) {
  for (std::size_t frame = 0; frame < frames; ++frame)
    if (const fs::path file = file_of_frame(truth.dir, name, frame); !is_file_here(file))
      throw Error(ErrorKind::input,
                  fmt::format("{}: there is no such file, and truth.json names it", file.string()));
}

void read_truth_file(const fs::path& file, std::size_t frames, RecordingTruth& truth) {
  const Json json = read_strict_json(file, kSmallFileJson);
  const JsonPlace root(json, file.string());
  root.allow_only({"surface", "charuco"});
  if (const auto surface = root.find("surface")) {
    surface->allow_only({"file", "unit"});
    if (truth.scene_file) surface->fail("scene.json is there, too, and says another surface");
    truth.surface_file = surface->at("file").text();
    truth.surface_metres_per_unit = metres_of(surface->at("unit"));
    require_files(truth, truth.surface_file, frames);
  }
  if (const auto charuco = root.find("charuco")) {
    truth.board_file = charuco->text();
    require_files(truth, truth.board_file, frames);
  }
}

Vec3 scaled_position(const JsonPlace& place, double metres_per_unit) {
  const auto numbers = place.elements();
  if (numbers.size() != 3) place.fail("must be 3 numbers");
  return metres_per_unit * Vec3(numbers[0].number(), numbers[1].number(), numbers[2].number());
}

BoardCorner corner_of(const JsonPlace& place, double metres_per_unit) {
  place.allow_only({"id", "position", "pixels"});
  BoardCorner corner;
  const std::uint64_t id = place.at("id").count();
  if (id > 1'000'000) place.at("id").fail("is no corner of a board");
  corner.id = static_cast<int>(id);
  if (const auto position = place.find("position"))
    corner.position_m = scaled_position(*position, metres_per_unit);
  for (const auto& [camera, pixel] : place.at("pixels").members()) {
    const auto numbers = pixel.elements();
    if (numbers.size() != 2) pixel.fail("must be 2 numbers");
    corner.pixels[camera] = Vec2(numbers[0].number(), numbers[1].number());
  }
  return corner;
}

}  // namespace

RecordingTruth find_recording_truth(const Recording& recording) {
  RecordingTruth truth;
  truth.dir = recording.dir / "truth";
  if (is_file_here(truth.dir / "scene.json")) truth.scene_file = truth.dir / "scene.json";
  if (is_file_here(truth.dir / "truth.json"))
    read_truth_file(truth.dir / "truth.json", recording.images.size(), truth);
  for (const Camera& camera : recording.rig.cameras)
    for (std::size_t frame = 0; frame < recording.images.size() && !truth.has_depths; ++frame)
      truth.has_depths = !true_depth_file(truth.dir, camera.name, frame).empty();
  if (truth.has_depths && recording.layout == RecordingLayout::colmap)
    throw Error(ErrorKind::input,
                fmt::format("{}: has depth maps, and nothing says where the depths of a model of "
                            "COLMAP begin; give the cameras as cameras.json",
                            truth.dir.string()));
  return truth;
}

std::string truth_text(const RecordingTruth& truth) {
  std::vector<std::string_view> kinds;
  if (truth.has_surface()) kinds.push_back("surface");
  if (truth.has_depths) kinds.push_back("depth");
  if (!truth.board_file.empty()) kinds.push_back("charuco");
  return kinds.empty() ? "none" : fmt::format("{}", fmt::join(kinds, "+"));
}

void add_truth_contents(const Recording& recording, DatasetContents& contents) {
  const fs::path dir = recording.dir / "truth";
  std::error_code error;
  if (!fs::is_directory(dir, error)) return;
  for (fs::recursive_directory_iterator entry(dir, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_regular_file(error))
      contents[entry->path().lexically_relative(recording.dir).generic_string()] = {
          fs::file_size(entry->path()), sha256_file_hex(entry->path())};
  if (error) throw Error(ErrorKind::io, fmt::format("{}: {}", dir.string(), error.message()));
}

Scene true_scene(const RecordingTruth& truth, std::size_t frame, const std::string& name) {
  if (truth.scene_file) return read_dataset_scene(truth.dir.parent_path());
  const fs::path file = file_of_frame(truth.dir, truth.surface_file, frame);
  TriangleMesh mesh = read_ply_mesh(file);
  for (Vec3& vertex : mesh.vertices_m) vertex *= truth.surface_metres_per_unit;
  try {
    return {name, Parameters(), {make_mesh_surface(std::move(mesh))}};
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", file.string(), error.what()));
  }
}

fs::path true_depth_file(const fs::path& truth_dir, const std::string& camera, std::size_t frame) {
  const fs::path numbered = truth_dir / camera / fmt::format("{:06}.npy", frame),
                 only = truth_dir / camera / "depth.npy";
  if (is_file_here(numbered)) return numbered;
  return frame == 0 && is_file_here(only) ? only : fs::path();
}

BoardTruth true_board(const RecordingTruth& truth, std::size_t frame) {
  const fs::path file = file_of_frame(truth.dir, truth.board_file, frame);
  const Json json = read_strict_json(file, kSmallFileJson);
  const JsonPlace root(json, file.string());
  root.allow_only({"unit", "squares_x", "square_size", "corners"});
  const double metres_per_unit = metres_of(root.at("unit"));
  BoardTruth board;
  const std::uint64_t squares = root.at("squares_x").count();
  if (squares < 2 || squares > 1000) root.at("squares_x").fail("must be 2 to 1000");
  board.squares_x = static_cast<int>(squares);
  board.square_m = metres_per_unit * root.at("square_size").number();
  if (!(board.square_m > 0)) root.at("square_size").fail("must be above 0");
  for (const JsonPlace& corner : root.at("corners").elements())
    board.corners.push_back(corner_of(corner, metres_per_unit));
  std::ranges::sort(board.corners, {}, &BoardCorner::id);
  if (std::ranges::adjacent_find(board.corners, {}, &BoardCorner::id) != board.corners.end())
    root.at("corners").fail("an id stands twice");
  return board;
}

}  // namespace aqbench
