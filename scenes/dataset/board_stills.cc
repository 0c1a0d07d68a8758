#include "scenes/dataset/board_stills.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "scenes/cloud/json_matrices.h"
#include "scenes/dataset/board_truth.h"
#include "scenes/images/image_file.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

// A rotation vector, radians, or a matrix.
Mat3 rotation_at(const JsonPlace& place) {
  const std::vector<JsonPlace> rows = place.elements();
  if (rows.size() != 3) place.fail("must be 3 numbers, a rotation vector in radians, or a 3 x 3 matrix");
  if (rows.front().value().is_number()) {
    const Vec3 turn_rad(numbers_at(place, 3).data());
    const double angle_rad = turn_rad.norm();
    if (angle_rad == 0) return Mat3::Identity();
    return Eigen::AngleAxisd(angle_rad, turn_rad / angle_rad).toRotationMatrix();
  }
  const Mat3 rotation = matrix_at<3, 3>(place);
  if (!((rotation * rotation.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff() <= 1e-6 &&
        rotation.determinant() > 0))
    place.fail("is not a rotation");
  return rotation;
}

Eigen::Isometry3d pose_at(const JsonPlace& place) {
  place.allow_only({"rotation", "translation", "rvec", "tvec", "frame_idx"});
  const auto one_of = [&](const char* name, const char* of_aquacal) {
    const auto found = place.find(of_aquacal);
    return found ? *found : place.at(name);
  };
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = rotation_at(one_of("rotation", "rvec"));
  pose.translation() = Vec3(numbers_at(one_of("translation", "tvec"), 3).data());
  return pose;
}

std::string still_name(std::size_t still) { return fmt::format("{:06}", still); }

// Counts the images that are finished. Asks at each row whether to go on.
class StillCounter {
 public:
  StillCounter(std::size_t images, const RenderProgress& progress) : images_(images), progress_(progress) {}
  RowProgress rows(const std::string& camera) {
    if (!progress_) return {};
    return [this, &camera](std::size_t) {
      const std::lock_guard lock(mutex_);
      progress_(done_ + 1, images_ + 1, camera);
    };
  }
  void finish_one() { ++done_; }

 private:
  std::size_t done_ = 0, images_;
  const RenderProgress& progress_;
  std::mutex mutex_;
};

void write_still(const DatasetPlan& plan, std::size_t still, StillCounter& counter,
                 const std::filesystem::path& dir) {
  const PlacedBoard board = *board_of(plan.scene.parameters);
  const Renderer renderer(*plan.scene.truth.surface, plan.imaging, plan.request.seed, {},
                          board_paint(board, plan.imaging.texture_contrast));
  for (std::size_t i = 0; i < plan.rig.cameras.size(); ++i) {
    const Camera& camera = plan.rig.cameras[i];
    const RenderedImage image = renderer.image(camera, i, counter.rows(camera.name), still);
    counter.finish_one();
    make_folders(dir / "images" / camera.name);
    write_file(dir / "images" / camera.name / (still_name(still) + ".png"),
               encode_png(image.width, image.height, image.bits, image.values));
  }
  write_file(dir / "truth" / "corners" / (still_name(still) + ".json"), corners_json(board, plan.rig));
}

}  // namespace

std::vector<Eigen::Isometry3d> read_board_poses(const std::filesystem::path& file) {
  const Json json = read_strict_json(file, kSmallFileJson);
  const JsonPlace root(json, file.string());
  std::vector<Eigen::Isometry3d> poses;
  const auto of_aquacal = json.is_object() ? root.find("board_poses") : std::nullopt;
  for (const JsonPlace& pose : (of_aquacal         ? *of_aquacal
                                : json.is_object() ? root.at("poses")
                                                   : root)
                                   .elements())
    poses.push_back(pose_at(pose));
  if (poses.empty()) throw input_error.of_file(file, "holds no pose");
  return poses;
}

std::vector<DatasetPlan> plan_board_stills(const DatasetRequest& request, const std::filesystem::path& file) {
  const std::vector<Eigen::Isometry3d> poses = read_board_poses(file);
  const auto board = board_of(make_scene(request.scene, request.overrides).parameters);
  if (!board) throw usage_error("--poses: the scene {} is not a board", request.scene);
  for (const auto& [name, unused] : pose_parameters(board->shape, poses.front()))
    for (const Override& given : request.overrides)
      if (given.owner == request.scene && given.parameter == name)
        throw usage_error("{}.{}: --poses says where the board is", request.scene, name);
  std::vector<DatasetPlan> stills;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    DatasetRequest still = request;
    still.rig_stays = true;
    for (const auto& [name, value] : pose_parameters(board->shape, poses[i]))
      still.overrides.push_back({request.scene, name, fmt::format("{}", value)});
    try {
      stills.push_back(plan_dataset(still));
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{}: pose {}: {}", file.string(), i, error.what()),
                  file.string());
    }
  }
  return stills;
}

void write_board_stills(const std::vector<DatasetPlan>& stills, const std::filesystem::path& dir,
                        const RenderProgress& progress) {
  const DatasetPlan& first = stills.front();
  StillCounter counter(stills.size() * first.rig.cameras.size(), progress);
  fill_folder(dir, [&](const std::filesystem::path& partial) {
    make_folders(partial / "truth" / "corners");
    for (std::size_t i = 0; i < stills.size(); ++i) write_still(stills[i], i, counter, partial);
    write_file(partial / "truth" / "truth.json", R"({"charuco": "corners/{frame}.json"})"
                                                 "\n");
    write_file(partial / "truth" / "first_still.json", dataset_record(first));
    write_calibration(partial / "calibration.json", first.rig, calibration_metadata(first));
  });
}

}  // namespace aqbench
