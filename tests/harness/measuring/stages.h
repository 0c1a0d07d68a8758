#pragma once
// Stages as a recorder saw them.

#include <stdexcept>
#include <string>
#include <vector>

#include "harness/measuring/stage_recorder.h"

namespace aqbench {

// The stages of one repetition of `body`.
template <class Body>
std::vector<StageRecord> recorded(const StageRecorderOptions& options, const Body& body) {
  StageRecorder recorder(options);
  {
    const ScopedObserver observe(recorder);
    body();
  }
  recorder.finish_repetition();
  return recorder.stages();
}

// The first stage of this name, with this parent where one is given.
inline const StageRecord& stage(const std::vector<StageRecord>& stages, const std::string& name,
                                const char* parent = nullptr) {
  for (const StageRecord& record : stages)
    if (record.name == name && (parent == nullptr || record.parent == parent)) return record;
  throw std::runtime_error("no stage " + name);
}

}  // namespace aqbench
