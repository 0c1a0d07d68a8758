#pragma once
// Relations that a method keeps whatever the truth is: other forms of one dataset whose results must agree.

#include <string>
#include <vector>

#include "scenes/cloud/transform.h"
#include "scenes/dataset/recording.h"

namespace aqbench {

// A changed form of a recording.
struct Relation {
  std::string name;     // "permuted"
  std::string changes;  // "order of cameras"
  Recording recording;  // in the layout that write_observation() writes anew
  // Takes a result of the changed recording to the frame and unit of the original one.
  Similarity original_from_changed = {};
  // The method is given the same numbers, so that a deterministic one gives the same points; else it samples
  // the surface at other places.
  bool is_exact = false;
};

// Returns the relations: permuted (cameras in reverse order), renamed (names in reverse alphabetical order),
// moved (the world turned by 40 degrees and shifted by the extent of the cameras, about and across the
// vertical where there is water), unit (all lengths twice as large), doubled (one camera twice).
std::vector<Relation> relations_of(const Recording& recording);

// Returns the first, third ... and the second, fourth ... cameras in the order of their names as recordings
// of their own. Throws Error(input) for fewer than 6 cameras.
std::vector<Recording> halves_of(const Recording& recording);

}  // namespace aqbench
