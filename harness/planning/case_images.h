#pragma once
// From a case to the dataset of its method.

#include <string_view>

#include "harness/records/case.h"
#include "pipeline/method/declaration.h"
#include "scenes/dataset/dataset.h"
#include "scenes/dataset/perturb.h"

namespace aqbench {

// Owner of the renderer's parameters: "imaging.NAME".
inline constexpr const char* kImagingOwner = "imaging";

// Owner of calibration errors (scenes/dataset/perturb.h): "perturb.NAME".
inline constexpr const char* kPerturbOwner = "perturb";

// Returns whether `owner` is the rig of these images, imaging or perturb.
bool owns_images(const CaseImages& images, std::string_view owner);

// Returns whether a declared method's command or environment uses {dataset}.
bool asks_for_dataset(const MethodDeclaration& method);

// Returns whether images are rendered for the method of a case: for all methods that use them, except a
// program without {dataset} and depth maps, whose scoring would need the rendered ones.
bool renders_images(const Case& planned);

// Returns the image options of a case, which must have images.
DatasetRequest dataset_request(const Case& planned);

// Returns the calibration error of a case: its overrides of owner perturb. Throws Error(usage) for an unknown
// one.
CalibrationError case_calibration_error(const Case& planned);

}  // namespace aqbench
