#pragma once
// The clouds of a page: which cloud views (harness/viewing/cloud_view.h) of a bundle it holds, and with how
// many of their points.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// A cloud as a page holds it.
struct PageView {
  std::size_t record = 0;  // index of its record in the results
  std::string bytes;       // encode_view() of the points that are left; empty where there is no room for it
  std::vector<std::pair<int, std::size_t>> errors;  // how many points have which error_code()
};

// Lists the views of a bundle (case -> bytes of viewer/CASE.bin) in the order of `results`, without their
// bytes. A file that is no view is left out; `aqbench verify` refuses it.
std::vector<PageView> list_views(const std::map<std::string, std::string>& views, const Results& results);

// Fits the bytes of the listed views into `budget` bytes: small ones whole, large ones with every n-th point.
void fit_views(std::vector<PageView>& listed, const std::map<std::string, std::string>& views,
               const Results& results, std::size_t budget);

}  // namespace aqbench
