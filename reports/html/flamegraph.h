#pragma once
// Flamegraphs of CPU samples as one SVG file that needs nothing else: hover names a frame, a click zooms, the
// box at the top searches.

#include <string>

#include "harness/measuring/folded.h"

namespace aqbench {

struct FlamegraphText {
  std::string title, subtitle;
};

// Width = share of samples, outermost functions at the bottom. Colours only tell frames apart; stages are
// blue, code without symbols is grey.
std::string flamegraph_svg(const FoldedStacks& stacks, const FlamegraphText& text);

// Widths are those of `after`; red frames have a larger share of the samples than in `before`, blue ones a
// smaller one. Counts are compared as shares, since two runs rarely take as many samples.
std::string differential_flamegraph_svg(const FoldedStacks& before, const FoldedStacks& after,
                                        const FlamegraphText& text);

}  // namespace aqbench
