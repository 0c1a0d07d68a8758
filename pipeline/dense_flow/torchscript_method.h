#pragma once
// The method torchscript: any matcher saved with torch.jit, in the place of dense_flow's.
//
//   forward(image_a: Tensor, image_b: Tensor) -> Tuple[Tensor, Tensor]
//
// image_a [1, 1, H, W] and image_b [1, 1, H', W'] are float32 grey values, 0 to 1. The first result, warp [H,
// W, 2], holds x and y in px of each pixel of image_a in image_b (pixel centres at integers, (0, 0) the top
// left one), NaN for nowhere; the second, confidence [H, W], 0 to 1. Both of a floating type, on any device.
// image_b has image_a's size and is warped to it through the mean plane, unless the parameter for warping is
// `none`.

#include <filesystem>
#include <string>

#include "pipeline/dense_flow/pair_matching.h"
#include "pipeline/method/method.h"

namespace aqbench {

// Makes the matcher of a saved model. Drops matches below min_confidence. Throws Error(input) "FILE: ..." if
// the file is missing or not a TorchScript module, Error(usage) for an unavailable device. Matching throws
// Error(method) "FILE: ..." if forward fails or returns anything else than the above. Not thread-safe:
// LibTorch uses thread_count() threads of its own.
dense_flow::PairMatcher torchscript_matcher(const std::filesystem::path& file, const std::string& device,
                                            double min_confidence);

// Runs the method on a dataset. Throws like torchscript_matcher(), read_dataset_views() and
// reconstruct_densely().
Reconstruction run_torchscript(const Observation& observation, const MethodInput& input);

}  // namespace aqbench
