#pragma once
// Datasets on disk: what a method is given, and apart from it the truth. The layout stands in
// docs/dataset.md.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "scenes/optics/camera.h"
#include "scenes/rendering/imaging.h"
#include "scenes/scene.h"

namespace aqbench {

// What images are wanted.
struct DatasetRequest {
  std::string scene = "undulating";
  std::string rig = "ring12";
  std::string imaging = "default";         // a variant
  std::optional<int> width_px, height_px;  // one alone keeps the rig's ratio; none: the rig's size
  std::uint64_t seed = 42;                 // of texture, noise, gains and the rig's jitter
  // Of owners scene, rig and "imaging"; they win over width_px, height_px and the variant.
  std::vector<Override> overrides;
  double mesh_pitch_m = 0.001;    // of truth/surface.ply
  std::string generator_version;  // recorded
};

// A request with every name looked up and every parameter resolved.
struct DatasetPlan {
  DatasetRequest request;
  Scene scene;
  Parameters rig_parameters, imaging_parameters;
  Rig rig;
  ImagingOptions imaging;
  // Of a scene that is a mesh: the hash of its file, which is recorded instead of its path, and how far its
  // faces lie from a smooth surface (facet_error.h).
  std::string mesh_sha256 = {};
  double facet_error_m = 0;
};

// Throws Error(usage) for unknown names and parameters and an override of another owner; Error(input) as
// make_rig and make_scene do, and for a mesh that is not below the water.
DatasetPlan plan_dataset(const DatasetRequest& request);

// Plans the same without the truth of a mesh, which takes long to prepare: its `scene` has no surface.
DatasetPlan plan_images(const DatasetRequest& request);

// Returns the text of truth/scene.json: everything that decides a dataset's bytes, and nothing else.
std::string dataset_record(const DatasetPlan& plan);

// Returns the SHA-256 of that text without the parameters that are at their defaults, so that a parameter
// added later changes no key.
std::string dataset_key(const DatasetPlan& plan);

// A function that is told often how much of the work is done, and the camera that is being rendered; one call
// at a time, from any thread. An exception of it ends the rendering, which then leaves nothing behind.
using RenderProgress = std::function<void(std::size_t done, std::size_t work, const std::string& camera)>;

// Renders into a folder beside `dir` and renames that at the end, so that `dir` is whole or as it was. Equal
// plans give equal bytes. Throws Error(usage) if `dir` is there and not an empty folder, Error(io).
void write_dataset(const DatasetPlan& plan, const std::filesystem::path& dir,
                   const RenderProgress& progress = {});

// Copies a rendered dataset from another folder in the same way.
void copy_dataset(const std::filesystem::path& from, const std::filesystem::path& dir);

// Throws Error(usage) if `dir` exists and is not an empty folder. Call it before long work whose result goes
// there.
void require_free_folder(const std::filesystem::path& dir);

}  // namespace aqbench
