#pragma once
// Small photographs beside a case: what its cameras saw, for people.

#include <cstddef>

#include "harness/records/case_result.h"
#include "harness/scoring/evaluate.h"

namespace aqbench {

// Of more cameras, so many are chosen evenly.
inline constexpr std::size_t kMaxPhotographs = 64;
// Of one photograph, and of all of a case, unless they are about 256 pixels wide already.
inline constexpr std::size_t kPhotographBytes = 64'000, kPhotographBytesOfCase = 1'500'000;

// Keeps the images of a case that has a cloud view and images at hand, 256 to 640 pixels wide:
// photograph.jpg, photograph_1.jpg, ... of the cameras that are not auxiliary, with a line each in
// pictures.csv (harness/scoring/depth_pictures.h), kind "photograph". Throws Error(input, io) naming an
// image.
void keep_photographs(const Subject& subject, CaseResult& result);

}  // namespace aqbench
