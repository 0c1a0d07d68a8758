#pragma once
// Flamegraphs of CPU samples as one SVG file that needs nothing else: the pointer shows a function's name, a
// click zooms, the box at the top searches.

#include <string>

#include "harness/measuring/samplers.h"

namespace aqbench {

// The two lines above a flamegraph.
struct FlamegraphText {
  std::string title, subtitle;
};

// Draws a flamegraph. The width of a box is its function's share of the samples; the outermost functions are
// at the bottom. Stages are blue and code without symbols is grey; the other colours only tell functions
// apart.
std::string flamegraph_svg(const FoldedStacks& stacks, const FlamegraphText& text);

// Draws `after`, coloured by the change: red functions have a larger share of the samples than in `before`,
// blue ones a smaller share. Shares and not counts are compared, since two runs rarely take as many samples.
std::string differential_flamegraph_svg(const FoldedStacks& before, const FoldedStacks& after,
                                        const FlamegraphText& text);

}  // namespace aqbench
