#pragma once
// Two bundles side by side as one page: what moved, in which stage, and where on the surface.

#include <filesystem>
#include <string>

#include "harness/records/results.h"
#include "reports/history/compare.h"

namespace aqbench {

// One side of the comparison: its records, and the bundle whose clouds are shown ("" for a bare
// results.json).
struct ComparedSide {
  const Results* results = nullptr;
  std::filesystem::path bundle;
};

// Returns the page: notes, metrics that differ with the largest change for the worse first, stages, times,
// the clouds of both sides of every case, to be turned side by side or as B minus A, the stages of both over
// time, and of profiles their samples against each other. It needs no other file and has at most 10 MB.
// Throws Error(io, input) for files of a bundle that cannot be read.
std::string compare_page(const CompareReport& report, const ComparedSide& a, const ComparedSide& b);

}  // namespace aqbench
