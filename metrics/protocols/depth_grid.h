#pragma once
// What MoGe's evaluation looks at in a depth map as an image: a coarse grid of its pixels, and the edges of
// depth between neighbours (github.com/microsoft/MoGe moge/test/metrics.py).

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace aqbench {

// Which pixels of an image count, row by row; 0: it does not.
struct CountedPixels {
  std::size_t height = 0, width = 0;
  std::vector<unsigned char> counts;
};

// Returns for each of 64 x 64 equal cells of the image the pixel that counts and lies nearest to the cell's
// centre, within a window of a cell's size rounded up; nothing for a cell without one. Of an image smaller
// than the grid pixels come several times.
std::vector<std::size_t> grid_of(const CountedPixels& pixels);

// The radii of edges: 1 to 3 pixels.
inline constexpr std::size_t kEdgeRadii = 3;

// Returns for each radius the F1 score of predicted edges of depth against true ones: of two pixels at most
// the radius apart, the first at least as far from the image's border, the second is farther by more than a
// share, 0.05 to 0.25 in ten steps; mean of the ten scores weighted by the shares. Shares at which neither
// side has an edge count as 0, as published; NaN where this is so at all of them. Uses parallel_for.
std::array<double, kEdgeRadii> boundary_f1(const CountedPixels& pixels, std::span<const double> predicted,
                                           std::span<const double> truth);

}  // namespace aqbench
