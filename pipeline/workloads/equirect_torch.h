#pragma once
// Samples views by LibTorch's grid_sample.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/workloads/equirect.h"
#include "pipeline/workloads/step_ledger.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {

// Where and how views are sampled.
struct TorchSamplerOptions {
  std::string device = "cpu";
  bool uint8_copy = true;  // copy frames as bytes and convert to float there; else convert first
};

// Samples views of one geometry on one device.
class TorchSampler {
 public:
  // Copies the grid to the device, for all calls.
  TorchSampler(const ViewGeometry& geometry, const ViewGrid& grid, const TorchSamplerOptions& options);
  ~TorchSampler();

  // Returns the views [frame][view]. Records the steps stack, copy, sample and convert in the ledger.
  std::vector<ColourImage> sample(const std::vector<const ColourImage*>& frames, StepLedger& ledger);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns the identities of views [frame][view]: their number, and their worst error against the formula,
// over all pixels and beside the seam, in levels. `more_tolerance` levels are allowed beyond
// sampling_tolerance(). The formula is slow: only the first and last frame are compared completely.
std::vector<Identity> view_identities(const ViewGeometry& geometry, int frames, std::uint64_t seed,
                                      const std::vector<ColourImage>& views, double more_tolerance);

// Returns the SHA-256 of the views' own hashes, in order.
std::string hash_of_views(const std::vector<ColourImage>& views);

}  // namespace aqbench
