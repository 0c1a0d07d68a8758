#pragma once
// From a case to the dataset that its method looks at.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/records/case.h"
#include "pipeline/method/declaration.h"
#include "scenes/dataset/dataset.h"
#include "scenes/dataset/perturb.h"

namespace aqbench {

// Owner of the renderer's parameters: "imaging.NAME".
inline constexpr const char* kImagingOwner = "imaging";

// Owner of the errors that are put into a calibration (scenes/dataset/perturb.h): "perturb.NAME".
inline constexpr const char* kPerturbOwner = "perturb";

// Returns whether `owner` is the rig of these images, imaging or perturb.
bool owns_images(const CaseImages& images, std::string_view owner);

// Returns whether a declared method's command or environment asks for {dataset}.
bool asks_for_dataset(const MethodDeclaration& method);

// Returns whether images are rendered for the method of a case: for all that look at them, but not for a
// program that asks for no {dataset} and gives no depth maps, which the rendered ones would be needed to
// score.
bool renders_images(const Case& planned);

// Returns what the images of a case are rendered from. The case must have images.
DatasetRequest dataset_request(const Case& planned);

// Returns how wrong the calibration is that the case's method is given: its overrides of owner perturb.
// Throws Error(usage) for an unknown one.
CalibrationError case_calibration_error(const Case& planned);

}  // namespace aqbench
