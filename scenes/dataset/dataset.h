#pragma once
// Datasets on disk: the input of a method and, separately, the truth. Layout: docs/dataset.md.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "core/parameters.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/camera.h"
#include "scenes/rendering/imaging.h"
#include "scenes/scene.h"

namespace aqbench {

// A request for images.
struct DatasetRequest {
  std::string scene = "undulating";
  std::string rig = "ring12";
  std::string imaging = "default";         // a variant
  std::optional<int> width_px, height_px;  // one of them keeps the rig's ratio; none: the rig's size
  std::uint64_t seed = 42;                 // of texture, noise, gains and the rig's jitter
  // Overrides of scene, rig and "imaging"; they take precedence over width_px, height_px and the variant.
  std::vector<Override> overrides;
  double mesh_pitch_m = 0.001;    // of truth/surface.ply
  std::string generator_version;  // recorded
  // The rig of a file stays in its world, which is the scene's; a scene that it does not see is no error.
  bool rig_stays = false;
};

// A request with all names looked up and parameters resolved.
struct DatasetPlan {
  DatasetRequest request;
  Scene scene;
  Parameters rig_parameters, imaging_parameters;
  Rig rig;
  ImagingOptions imaging;
  // For a scene from a mesh: the hash of its file, recorded instead of its path, and the distance of its
  // faces from a smooth surface (scenes/rendering/imaging.h).
  std::string mesh_sha256 = {};
  double facet_error_m = 0;
  std::string rig_sha256 = {};  // of a rig from a file: the hash of its cameras; else empty
};

// Throws Error(usage) for unknown names and parameters and an override of another owner; Error(input) like
// make_rig and make_scene, and for a mesh that is not below the water.
DatasetPlan plan_dataset(const DatasetRequest& request);

// Plans the same without preparing the truth of a mesh, which takes long: its `scene` has no surface.
DatasetPlan plan_images(const DatasetRequest& request);

// Returns the text of truth/scene.json: exactly what determines a dataset's bytes.
std::string dataset_record(const DatasetPlan& plan);

// Returns the SHA-256 of that text without parameters at their defaults, so that a parameter added later
// changes no key.
std::string dataset_key(const DatasetPlan& plan);

// Reports progress and the camera being rendered; one call at a time, from any thread. If it throws,
// rendering stops and leaves nothing behind.
using RenderProgress = std::function<void(std::size_t done, std::size_t work, const std::string& camera)>;

// Renders into a folder beside `dir` and renames it at the end, so `dir` is complete or unchanged. Equal
// plans give equal bytes. Throws Error(usage) if `dir` exists and is not an empty folder, Error(io).
void write_dataset(const DatasetPlan& plan, const std::filesystem::path& dir,
                   const RenderProgress& progress = {});

// Does that with what `fill` writes into the folder that it gets.
void fill_folder(const std::filesystem::path& dir,
                 const std::function<void(const std::filesystem::path& partial)>& fill);

// Returns what calibration.json says beside the cameras. A date would make equal requests differ, and a hash
// of the record would lead a method to the truth.
CalibrationMetadata calibration_metadata(const DatasetPlan& plan);

// Copies a rendered dataset from another folder in the same way.
void copy_dataset(const std::filesystem::path& from, const std::filesystem::path& dir);

// Returns why copying to `to` failed. The standard library says "Input/output error" where the disk is full.
std::string copy_problem(const std::error_code& error, const std::filesystem::path& to);

// Throws Error(usage) if `dir` exists and is not an empty folder, or lies in a bundle. Call it before long
// work whose result goes there.
void require_free_folder(const std::filesystem::path& dir);

}  // namespace aqbench
