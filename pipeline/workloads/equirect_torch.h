#pragma once
// Views by LibTorch's grid_sample. Internal to the equirectangular workloads.

#include <memory>
#include <string>
#include <vector>

#include "pipeline/workloads/equirect.h"
#include "pipeline/workloads/step_ledger.h"

namespace aqbench {

// How frames get to the device.
enum class CopyWay {
  plain,
  pinned,   // through page-locked memory; CUDA
  streams,  // on a stream of its own; CUDA
  graph,    // sampling captured once, then replayed; CUDA
};

struct TorchSamplerOptions {
  std::string device = "cpu";
  bool uint8_copy = true;  // frames are copied as bytes and become floats there; else the other way round
  CopyWay way = CopyWay::plain;
};

class TorchSampler {
 public:
  // The grid is put on the device here: cached for all calls.
  TorchSampler(const ViewGeometry& geometry, const ViewGrid& grid, const TorchSamplerOptions& options);
  ~TorchSampler();

  // Steps stack, copy, sample and convert stand in the ledger. [frame][view].
  std::vector<ColourImage> sample(const std::vector<const ColourImage*>& frames, StepLedger& ledger);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Why this way of copying cannot run with this program, "" if it can.
std::string copy_way_problem(CopyWay way);

}  // namespace aqbench
