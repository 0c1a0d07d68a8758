// The matcher of the method `torchscript`.
#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "pipeline/dense_flow/dense_flow.h"
#include "pipeline/torch/torch_message.h"

namespace aqbench::dense_flow {
namespace {

constexpr const char* kSignature = "forward must return (warp [H, W, 2], confidence [H, W])";

[[noreturn]] void fail_model(const std::filesystem::path& file, const std::string& what) {
  throw method_error("{}: {}", file.string(), what);
}

torch::jit::Module load_module(const std::filesystem::path& file, const std::string& device) {
  if (!std::filesystem::is_regular_file(file))
    throw input_error("{}: no such file; set torchscript.model", file.string());
  torch::jit::Module module;
  try {
    module = torch::jit::load(file.string(), c10::Device(c10::kCPU));
  } catch (const std::exception& error) {
    throw input_error("{}: not a TorchScript module: {}", file.string(), torch_message(error));
  }
  try {
    module.eval();
    module.to(c10::Device(device));
  } catch (const std::exception& error) {
    throw usage_error("device '{}' is unusable: {}", device, torch_message(error));
  }
  return module;
}

// A copy on the device.
at::Tensor image_tensor(const plane_sweep::GreyImage& image, const std::string& device) {
  return at::from_blob(const_cast<float*>(image.grey), {1, 1, image.height_px, image.width_px}, at::kFloat)
      .clone()
      .to(c10::Device(device));
}

std::string shape_text(at::IntArrayRef shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

// One of the two results as contiguous floats.
at::Tensor result_tensor(const std::filesystem::path& file, const c10::IValue& value, const char* name,
                         const std::vector<std::int64_t>& shape) {
  if (!value.isTensor()) fail_model(file, fmt::format("{}; {} is {}", kSignature, name, value.tagKind()));
  const at::Tensor tensor = value.toTensor();
  if (tensor.sizes() != at::IntArrayRef(shape))
    fail_model(file, fmt::format("{} has shape {}, expected {}", name, shape_text(tensor.sizes()),
                                 shape_text(shape)));
  if (!at::isFloatingType(tensor.scalar_type()))
    fail_model(file, fmt::format("{} has type {}, expected a floating-point type", name,
                                 at::toString(tensor.scalar_type())));
  return tensor.to(at::kCPU, at::kFloat).contiguous();
}

PairWarp match_pair(torch::jit::Module& module, const std::filesystem::path& file, const std::string& device,
                    float min_confidence, const plane_sweep::GreyImage& a, const plane_sweep::GreyImage& b) {
  at::set_num_threads(thread_count());
  const c10::InferenceMode inference;
  // The optimiser would recompile the module for each size and make later calls differ from earlier ones.
  const torch::jit::GraphOptimizerEnabledGuard as_written(false);
  c10::IValue result;
  try {
    result = module.forward({image_tensor(a, device), image_tensor(b, device)});
  } catch (const std::exception& error) {
    fail_model(file, "forward failed: " + torch_message(error));
  }
  if (!result.isTuple() || result.toTupleRef().elements().size() != 2)
    fail_model(file, fmt::format("{}; got {}", kSignature, result.tagKind()));
  const auto& elements = result.toTupleRef().elements();
  const at::Tensor warp = result_tensor(file, elements[0], "warp", {a.height_px, a.width_px, 2});
  const at::Tensor confidence = result_tensor(file, elements[1], "confidence", {a.height_px, a.width_px});
  const float* const places = warp.data_ptr<float>();
  const float* const confidences = confidence.data_ptr<float>();
  const std::vector<float> nowhere(a.pixel_count(), std::numeric_limits<float>::quiet_NaN());
  PairWarp out{nowhere, nowhere, std::vector<float>(nowhere.size(), 0.0F)};
  for (std::size_t i = 0; i < a.pixel_count(); ++i) {
    if (confidences[i] < 0 || confidences[i] > 1)
      fail_model(file, fmt::format("confidence must be from 0 to 1, got {}", confidences[i]));
    if (!(confidences[i] >= min_confidence) || !std::isfinite(places[2 * i]) ||
        !std::isfinite(places[2 * i + 1]))
      continue;
    out.x_px[i] = places[2 * i];
    out.y_px[i] = places[2 * i + 1];
    out.confidence[i] = confidences[i];
  }
  return out;
}

}  // namespace

PairMatcher torchscript_matcher(const std::filesystem::path& file, const std::string& device,
                                double min_confidence) {
  const auto module = std::make_shared<torch::jit::Module>(load_module(file, device));
  return {[=](const plane_sweep::GreyImage& a, const plane_sweep::GreyImage& b) {
            return match_pair(*module, file, device, static_cast<float>(min_confidence), a, b);
          },
          false};
}

}  // namespace aqbench::dense_flow

extern "C" const aqbench::dense_flow::TorchscriptTable aqbench_torchscript_table;
const aqbench::dense_flow::TorchscriptTable aqbench_torchscript_table = {
    .matcher = &aqbench::dense_flow::torchscript_matcher};
