#pragma once
// The images of a case: what they are made with, and the folder that a method is given.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/case.h"
#include "scenes/core/scratch_folder.h"
#include "scenes/dataset_cache.h"
#include "scenes/perturb.h"

namespace aqbench {

inline constexpr const char* kImagingOwner = "imaging";  // of the renderer's parameters

inline constexpr const char* kPerturbOwner = "perturb";  // of errors of the calibration (scenes/perturb.h)

// Is `owner` the rig of these images, imaging, or perturb?
bool owns_images(const CaseImages& images, std::string_view owner);

// The dataset of a case that has images.
DatasetRequest dataset_request(const Case& planned);

// How wrong the calibration is that the case's method is given: its overrides of owner perturb. Throws
// Error(usage) for an unknown one.
CalibrationError case_calibration_error(const Case& planned);

// Effective options: "dataset.rig", "dataset.imaging" and every parameter of both.
std::vector<std::pair<std::string, ParameterValue>> image_options(const DatasetPlan& plan);

// Folders in a case's scratch folder: what its method sees of the dataset, and where it may write.
inline constexpr const char* kObservationFolder = "observation";
inline constexpr const char* kWorkFolder = "work";

// Copies what a method may see of a dataset, calibration.json and images/, to the new folder `to`: no link
// leads from there to the truth, and what the method does to its copy does no harm. Throws Error(io).
void copy_observation(const std::filesystem::path& dataset_dir, const std::filesystem::path& to);

// The images of a case, made.
struct CaseDataset {
  DatasetPlan plan;
  CachedDataset dataset;                  // with truth/
  std::filesystem::path observation_dir;  // what the method is given
  double made_ms = 0;                     // it took to have both
};

// Finds the dataset in the cache or renders it, and copies what the method may see to scratch_dir. Says on
// stderr what it renders. Throws as plan_dataset() and cached_dataset() do.
CaseDataset make_case_dataset(const Case& planned, const std::filesystem::path& scratch_dir);

}  // namespace aqbench
