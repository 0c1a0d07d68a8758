// Distances of images by a TorchScript module.
#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>

#include "core/error.h"
#include "metrics/protocols/view_images.h"
#include "pipeline/torch/torch_message.h"

namespace aqbench {
namespace {

// 0 to 1 becomes -1 to 1, channels come first.
at::Tensor tensor_of(std::span<const float> values, const ImagePair& image) {
  return at::from_blob(
             const_cast<float*>(values.data()),
             {1, static_cast<std::int64_t>(image.height), static_cast<std::int64_t>(image.width), 3},
             at::kFloat)
      .permute({0, 3, 1, 2})
      .mul(2)
      .sub(1)
      .contiguous();
}

double number_of(const std::string& file, const c10::IValue& value) {
  if (value.isDouble()) return value.toDouble();
  if (!value.isTensor() || value.toTensor().numel() != 1)
    throw input_error("{}: forward must return one number for two images", file);
  return value.toTensor().to(at::kDouble).item<double>();
}

// On one thread: sums do not depend on the number of threads.
std::function<double(const ImagePair& image)> image_distance(const std::string& file) {
  at::set_num_threads(1);
  torch::jit::Module module;
  try {
    module = torch::jit::load(file, c10::Device(c10::kCPU));
    module.eval();
  } catch (const std::exception& error) {
    throw input_error("{}: not a TorchScript module: {}", file, torch_message(error));
  }
  return [file, module](const ImagePair& image) mutable {
    const c10::InferenceMode inference;
    const torch::jit::GraphOptimizerEnabledGuard as_written(false);
    c10::IValue value;
    try {
      value = module.forward({tensor_of(image.predicted, image), tensor_of(image.truth, image)});
    } catch (const std::exception& error) {
      throw input_error("{}: forward failed: {}", file, torch_message(error));
    }
    return number_of(file, value);
  };
}

}  // namespace
}  // namespace aqbench

extern "C" const aqbench::ImageDistanceTable aqbench_image_distance_table;
const aqbench::ImageDistanceTable aqbench_image_distance_table = {.open = &aqbench::image_distance};
