#pragma once
// Samples views by LibTorch's grid_sample.

#include <memory>
#include <string>
#include <vector>

#include "pipeline/workloads/equirect.h"
#include "pipeline/workloads/step_ledger.h"

namespace aqbench {

// The way in which frames get to the device.
enum class CopyWay {
  plain,
  pinned,   // through page-locked memory; CUDA
  streams,  // on a stream of its own; CUDA
  graph,    // sampling captured once, then replayed; CUDA
};

// Where and how views are sampled.
struct TorchSamplerOptions {
  std::string device = "cpu";
  bool uint8_copy = true;  // frames are copied as bytes and become floats there; else the other way round
  CopyWay way = CopyWay::plain;
};

// Samples views of one geometry on one device.
class TorchSampler {
 public:
  // Puts the grid on the device, where it stays for all calls.
  TorchSampler(const ViewGeometry& geometry, const ViewGrid& grid, const TorchSamplerOptions& options);
  ~TorchSampler();

  // Returns the views [frame][view]. The steps stack, copy, sample and convert are entered in the ledger.
  std::vector<ColourImage> sample(const std::vector<const ColourImage*>& frames, StepLedger& ledger);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns why this program cannot copy in this way, "" if it can.
std::string copy_way_problem(CopyWay way);

}  // namespace aqbench
