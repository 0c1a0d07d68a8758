#include "scenes/dataset/dataset.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "scenes/cloud/npy.h"
#include "scenes/cloud/ply.h"
#include "scenes/dataset/board_truth.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/images/image_file.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

constexpr const char* kImageFile = "000000.png";
constexpr double kCoarsePitch_m = 0.01;

enum class Listed { all, not_at_defaults };

Json parameters_record(const Parameters& parameters, Listed listed) {
  Json out = Json::object();
  for (const auto& [name, value] : parameters.items())
    if (listed == Listed::all || !parameters.is_default(name))
      std::visit([&out, &key = name](const auto& v) { out[key] = v; }, value);
  return out;
}

std::vector<Override> owned_by(const std::string& owner, std::vector<Override> overrides) {
  for (Override& item : overrides) item.owner = owner;
  return overrides;
}

std::int64_t scaled(std::int64_t of, int given, std::int64_t given_by_default) {
  return std::llround(static_cast<double>(of) * given / static_cast<double>(given_by_default));
}

std::vector<Override> size_overrides(const DatasetRequest& request, const RigSpec& spec) {
  if (!request.width_px && !request.height_px) return {};
  if (is_rig_file(request.rig))
    throw usage_error(
        "--width, --height: a rig of a file has its own sizes; --set rig.scale=0.5 halves them");
  const Parameters defaults(spec.parameters);
  const std::int64_t width = defaults.integer("width"), height = defaults.integer("height");
  const std::int64_t w = request.width_px ? *request.width_px : scaled(width, *request.height_px, height);
  const std::int64_t h = request.height_px ? *request.height_px : scaled(height, *request.width_px, width);
  return {{spec.name, "width", std::to_string(w)}, {spec.name, "height", std::to_string(h)}};
}

void append(std::vector<Override>& to, const std::vector<Override>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::string png_bytes(const RenderedImage& image) {
  return encode_png(image.width, image.height, image.bits, image.values);
}

// Counts rows of all cameras. A row of an image costs about as much as this many rows of true depths.
constexpr std::size_t kImageRowWork = 4;

class WorkCounter {
 public:
  WorkCounter(const DatasetPlan& plan, const RenderProgress& progress) : progress_(progress) {
    for (const Camera& camera : plan.rig.cameras)
      work_ += static_cast<std::size_t>(camera.intrinsics.height_px) * (kImageRowWork + 1);
  }
  // Returns a counter of one camera's rows with this weight; empty without a listener.
  RowProgress rows(const std::string& camera, std::size_t weight) {
    if (!progress_) return {};
    return [this, &camera, weight](std::size_t rows) {
      const std::lock_guard lock(mutex_);
      done_ += rows * weight;
      progress_(done_, work_, camera);
    };
  }

 private:
  const RenderProgress& progress_;
  std::mutex mutex_;
  std::size_t done_ = 0, work_ = 0;
};

void write_camera(const Renderer& renderer, const DatasetPlan& plan, std::size_t index, WorkCounter& counter,
                  const std::filesystem::path& dir) {
  const Camera& camera = plan.rig.cameras[index];
  make_folders(dir / "images" / camera.name);
  make_folders(dir / "truth" / camera.name);
  write_file(dir / "images" / camera.name / kImageFile,
             png_bytes(renderer.image(camera, index, counter.rows(camera.name, kImageRowWork))));
  const DepthMap depth = renderer.depth_map(camera, counter.rows(camera.name, 1));
  const std::array<std::size_t, 2> shape = {static_cast<std::size_t>(depth.height),
                                            static_cast<std::size_t>(depth.width)};
  write_npy(dir / "truth" / camera.name / "depth.npy", std::span<const float>(depth.depth_along_ray_m),
            shape);
}

// A scene larger than a tank has a band of its own.
TextureOptions texture_of(const Scene& scene) {
  TextureOptions texture;
  for (const auto& [name, value] : scene.parameters.items()) {
    if (name == "texture_min_m") texture.wavelength_min_m = std::get<double>(value);
    if (name == "texture_max_m") texture.wavelength_max_m = std::get<double>(value);
  }
  try {
    check(texture);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}.texture_min_m, texture_max_m: {}", scene.name, error.what()));
  }
  return texture;
}

void write_board(const PlacedBoard& board, const Rig& rig, const std::filesystem::path& truth_dir) {
  PointCloud corners;
  for (const Vec3& corner : board_corners(board.shape))
    corners.points_m.push_back(board.world_from_board * corner);
  write_ply_cloud(truth_dir / "board.ply", corners);
  write_file(truth_dir / "corners.json", corners_json(board, rig));
  write_file(truth_dir / "truth.json", R"({"charuco": "corners.json"})"
                                       "\n");
}

void write_contents(const DatasetPlan& plan, const std::filesystem::path& dir,
                    const RenderProgress& progress) {
  const Surface& surface = *plan.scene.truth.surface;
  const auto board = board_of(plan.scene.parameters);
  const Renderer renderer(surface, plan.imaging, plan.request.seed, texture_of(plan.scene),
                          board ? board_paint(*board, plan.imaging.texture_contrast) : Paint());
  WorkCounter counter(plan, progress);
  for (std::size_t i = 0; i < plan.rig.cameras.size(); ++i) write_camera(renderer, plan, i, counter, dir);
  write_file(dir / "truth" / "scene.json", dataset_record(plan));
  write_ply_mesh(dir / "truth" / "surface.ply", surface.mesh(plan.request.mesh_pitch_m));
  if (board) write_board(*board, plan.rig, dir / "truth");
  if (is_dry(plan.rig)) {
    make_folders(dir / "colmap");
    write_colmap_model(dir / "colmap", plan.rig, kImageFile);
  }
  write_calibration(dir / "calibration.json", plan.rig, calibration_metadata(plan));
}

// The path without a separator at its end, whose last part is a name.
std::filesystem::path folder_path(const std::filesystem::path& dir) {
  std::filesystem::path path = std::filesystem::absolute(dir).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

std::string record_text(const DatasetPlan& plan, Listed listed) {
  const DatasetRequest& r = plan.request;
  const std::string name = plan.rig_sha256.empty() ? r.rig : std::filesystem::path(r.rig).filename().string();
  Json rig = {{"name", name}, {"parameters", parameters_record(plan.rig_parameters, listed)}};
  if (!plan.rig_sha256.empty()) rig["sha256"] = plan.rig_sha256;
  Json scene = {{"name", plan.scene.name}, {"parameters", parameters_record(plan.scene.parameters, listed)}};
  if (!plan.mesh_sha256.empty()) {
    scene["sha256"] = plan.mesh_sha256;
    scene["facet_error_mm"] = 1e3 * plan.facet_error_m;
  }
  const Json record = {
      {"format_version", 1},
      {"generator", {{"name", "aqbench"}, {"version", r.generator_version}}},
      {"renderer_version", kRendererVersion},
      {"scene", scene},
      {"rig", rig},
      {"imaging",
       {{"variant", r.imaging}, {"parameters", parameters_record(plan.imaging_parameters, listed)}}},
      {"mesh_pitch_m", r.mesh_pitch_m},
      {"seed", r.seed}};
  return record.dump(2) + "\n";
}

void require_below_water(const DatasetPlan& plan, const std::string& surface, const TriangleMesh& mesh) {
  const auto water = level_water(plan.rig);
  if (!water) return;
  const double water_z_m = water->water_z_m;
  const auto above =
      std::ranges::count_if(mesh.vertices_m, [&](const Vec3& vertex) { return !(vertex.z() > water_z_m); });
  if (above > 0)
    throw input_error(
        "{}: {} of its {} vertices are not below the water at z = {} "
        "m; it must be in metres, in the rig's world frame, +Z down",
        surface, above, mesh.vertices_m.size(), water_z_m);
}

// Of a rig from a file.
void require_in_sight(const DatasetPlan& plan, const TriangleMesh& mesh) {
  if (blind_cameras(plan.rig, mesh).size() == plan.rig.cameras.size())
    throw input_error("{}: none of its cameras sees {}; see --set rig.place and rig.distance_m",
                      plan.request.rig, plan.request.scene);
}

void take_rig(DatasetPlan& plan, const Scene* scene) {
  RigFile made = make_scene_rig(plan.request.rig, plan.rig_parameters, plan.request.seed,
                                plan.request.rig_stays ? nullptr : scene);
  plan.rig = std::move(made.rig);
  plan.rig_sha256 = std::move(made.sha256);
}

// A mesh is recorded by its file name only, so equal meshes give equal bytes anywhere.
void add_mesh(DatasetPlan& plan) {
  const std::filesystem::path file = plan.request.scene.substr(kMeshPrefix.size());
  const auto make = [&] {
    plan.scene = make_scene(plan.request.scene, plan.request.overrides, cameras_of_signs(plan.rig));
  };
  make();
  if (is_rig_file(plan.request.rig)) {  // moved to the mesh, it may look at the other side of an open part
    take_rig(plan, &plan.scene);
    make();
  }
  plan.scene.name = std::string(kMeshPrefix) + file.filename().string();
  plan.mesh_sha256 = sha256_file_hex(file);
  const TriangleMesh mesh = plan.scene.truth.surface->mesh(plan.request.mesh_pitch_m);
  plan.facet_error_m = facet_error_m(mesh);
  require_below_water(plan, file.string(), mesh);
  if (is_rig_file(plan.request.rig)) require_in_sight(plan, mesh);
}

}  // namespace

std::string dataset_record(const DatasetPlan& plan) { return record_text(plan, Listed::all); }

std::string dataset_key(const DatasetPlan& plan) {
  return sha256_hex(record_text(plan, Listed::not_at_defaults));
}

DatasetPlan plan_dataset(const DatasetRequest& request) {
  DatasetPlan plan = plan_images(request);
  if (request.scene.starts_with(kMeshPrefix)) add_mesh(plan);
  return plan;
}

DatasetPlan plan_images(const DatasetRequest& request) {
  const bool own_rig = is_rig_file(request.rig);
  const RigSpec& rig = rig_spec(request.rig);
  const ImagingVariant& variant = find_imaging_variant(request.imaging);
  for (const Override& given : request.overrides) {
    if (given.owner != request.scene && given.owner != rig.name && given.owner != "imaging")
      throw usage_error("'{}.{}={}': neither the scene {}, the rig {} nor imaging", given.owner,
                        given.parameter, given.value, request.scene, rig.name);
  }
  std::vector<Override> rig_overrides;  // the lens of a file stays
  if (!own_rig) rig_overrides = owned_by(rig.name, variant.rig_overrides);
  append(rig_overrides, size_overrides(request, rig));
  append(rig_overrides, request.overrides);
  std::vector<Override> imaging_overrides = variant.overrides;
  append(imaging_overrides, request.overrides);

  DatasetPlan plan{request,
                   request.scene.starts_with(kMeshPrefix) ? Scene{request.scene, {}, {}}
                                                          : make_scene(request.scene, request.overrides),
                   resolve_parameters(rig.name, rig.parameters, rig_overrides),
                   resolve_parameters("imaging", imaging_parameters(), imaging_overrides),
                   {},
                   {}};
  const Surface* const surface = plan.scene.truth.surface.get();
  take_rig(plan, &plan.scene);
  if (surface != nullptr && (own_rig || board_of(plan.scene.parameters))) {
    const TriangleMesh mesh = surface->mesh(kCoarsePitch_m);
    require_below_water(plan, request.scene, mesh);
    if (own_rig && !request.rig_stays) require_in_sight(plan, mesh);
  }
  plan.imaging = imaging_options(plan.imaging_parameters);
  check(plan.imaging);
  texture_of(plan.scene);
  return plan;
}

void require_free_folder(const std::filesystem::path& dir) {
  std::error_code error;
  for (std::filesystem::path above = std::filesystem::absolute(dir).parent_path(); above.has_relative_path();
       above = above.parent_path())
    if (is_file(above / "sha256.txt") && is_file(above / "results.json"))
      throw usage_error("{}: lies in the bundle {}, which may hold its own files alone", dir.string(),
                        above.string());
  const auto status = std::filesystem::status(dir, error);
  if (!std::filesystem::exists(status)) return;
  if (!std::filesystem::is_directory(status))
    throw usage_error("{}: exists and is not a folder", dir.string());
  const bool empty = std::filesystem::is_empty(dir, error);
  if (error) throw io_error("{}: {}", dir.string(), error.message());
  if (!empty) throw usage_error("{}: the folder is not empty", dir.string());
}

void fill_folder(const std::filesystem::path& dir,
                 const std::function<void(const std::filesystem::path& partial)>& fill) {
  require_free_folder(dir);
  const std::filesystem::path target = folder_path(dir);
  const std::filesystem::path partial = make_folder_beside(target);
  try {
    fill(partial);
    std::error_code error;
    std::filesystem::rename(partial, target, error);  // replaces only an empty folder
    if (error) throw io_error("{}: {}", target.string(), error.message());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(partial, ignored);
    throw;
  }
}

CalibrationMetadata calibration_metadata(const DatasetPlan& plan) {
  CalibrationMetadata metadata{"1970-01-01T00:00:00Z", "aqbench " + plan.request.generator_version, "none"};
  if (const auto board = board_of(plan.scene.parameters)) metadata.board = calibrated_board(board->shape);
  return metadata;
}

void write_dataset(const DatasetPlan& plan, const std::filesystem::path& dir,
                   const RenderProgress& progress) {
  fill_folder(dir, [&](const std::filesystem::path& partial) { write_contents(plan, partial, progress); });
}

std::string copy_problem(const std::error_code& error, const std::filesystem::path& to) {
  constexpr std::uintmax_t kFullBelowBytes = 64 << 10;
  std::error_code unknown;
  const bool full = error == std::errc::io_error &&
                    std::filesystem::space(to, unknown).available < kFullBelowBytes && !unknown;
  return full ? std::make_error_code(std::errc::no_space_on_device).message() : error.message();
}

void copy_dataset(const std::filesystem::path& from, const std::filesystem::path& dir) {
  fill_folder(dir, [&](const std::filesystem::path& partial) {
    std::error_code error;
    std::filesystem::copy(from, partial, std::filesystem::copy_options::recursive, error);
    if (error)
      throw io_error("copying {} to {}: {}", from.string(), dir.string(), copy_problem(error, partial));
  });
}

}  // namespace aqbench
