#pragma once
// Checks whether a cloud is worth scoring, so that a wrong unit or frame is found before a number is shown.

#include <string>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// What a message says to somebody whose cloud is in another unit or frame.
struct ScorableHints {
  std::string name;                     // stands before each message: the file, or what it is
  std::string unit = "give --unit {}";  // {} is mm or cm
  std::string frame = "see --transform";
  std::string truth_unit = "give --truth-unit mm";
};

// Returns a warning where less than 1 % of the finite points lie near the surface, and where the truth of a
// file is about a thousand times as large as the cloud; else an empty text. Throws Error(input), one line
// that begins with the name, for a cloud without finite points, for coordinates that are plainly millimetres
// or centimetres, and where no point lies where the surface is scored.
std::string check_scorable(const PointCloud& cloud, const Surface& truth, const ScorableHints& hints);

// Does the same for a cloud in blocks, which it reads once.
std::string check_scorable(const CloudBlocks& cloud, const Surface& truth, const ScorableHints& hints);

}  // namespace aqbench
