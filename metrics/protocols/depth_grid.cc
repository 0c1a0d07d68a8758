#include "metrics/protocols/depth_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

#include "core/parallel.h"

namespace aqbench {
namespace {

constexpr std::size_t kCells = 64;

// The window of a cell along one side of the image, and twice the cell's centre.
struct CellWindow {
  std::ptrdiff_t begin, end;
  double centre;
};

CellWindow window_of_cell(std::size_t cell, std::size_t size) {
  const double cell_size = std::max(1.0, static_cast<double>(size) / kCells);
  const double centre = (static_cast<double>(cell) + 0.5) / kCells * static_cast<double>(size);
  const auto begin = static_cast<std::ptrdiff_t>(std::nearbyint(centre - cell_size / 2));
  return {
      std::max<std::ptrdiff_t>(begin, 0),
      std::min(begin + static_cast<std::ptrdiff_t>(std::ceil(cell_size)), static_cast<std::ptrdiff_t>(size)),
      centre};
}

constexpr std::size_t kShares = 10;

// How much farther the second pixel of an edge is, in 32 bits.
constexpr std::array<float, kShares> edge_shares() {
  std::array<float, kShares> shares{};
  for (std::size_t k = 0; k < kShares; ++k)
    shares[k] = static_cast<float>(0.05 + 0.2 * static_cast<double>(k) / (kShares - 1));
  return shares;
}

// Returns at how many of the shares, the smallest first, `to` lies behind `from`.
std::size_t edges_between(double from, double to) {
  static constexpr std::array<float, kShares> kEdges = edge_shares();
  std::size_t edges = 0;
  while (edges < kShares && to / from > 1 + double{kEdges[edges]}) ++edges;
  return edges;
}

// Edges of both sides, of the prediction and of the truth, at each share.
using EdgeCounts = std::array<std::array<std::uint64_t, kShares>, 3>;

void count_edges(double predicted_from, double predicted_to, double true_from, double true_to,
                 EdgeCounts& counts) {
  const std::size_t predicted = edges_between(predicted_from, predicted_to),
                    truth = edges_between(true_from, true_to);
  for (std::size_t k = 0; k < std::min(predicted, truth); ++k) ++counts[0][k];
  for (std::size_t k = 0; k < predicted; ++k) ++counts[1][k];
  for (std::size_t k = 0; k < truth; ++k) ++counts[2][k];
}

double f1_of(const EdgeCounts& counts) {
  static constexpr std::array<float, kShares> kEdges = edge_shares();
  if (counts[1][0] + counts[2][0] == 0) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0, weights = 0;
  for (std::size_t k = 0; k < kShares; ++k) {
    const auto all = static_cast<double>(counts[1][k] + counts[2][k]);
    if (all > 0) sum += kEdges[k] * 2 * static_cast<double>(counts[0][k]) / all;
    weights += kEdges[k];
  }
  return sum / weights;
}

}  // namespace

std::vector<std::size_t> grid_of(const CountedPixels& pixels) {
  std::vector<std::size_t> found;
  for (std::size_t row = 0; row < kCells; ++row) {
    for (std::size_t column = 0; column < kCells; ++column) {
      const CellWindow y_window = window_of_cell(row, pixels.height),
                       x_window = window_of_cell(column, pixels.width);
      double nearest = std::numeric_limits<double>::infinity();
      std::size_t pixel = 0;
      for (std::ptrdiff_t y = y_window.begin; y < y_window.end; ++y) {
        for (std::ptrdiff_t x = x_window.begin; x < x_window.end; ++x) {
          const auto at = static_cast<std::size_t>(y) * pixels.width + static_cast<std::size_t>(x);
          const double dy = static_cast<double>(y) + 0.5 - y_window.centre,
                       dx = static_cast<double>(x) + 0.5 - x_window.centre;
          if (pixels.counts[at] == 0 || !(dx * dx + dy * dy < nearest)) continue;
          nearest = dx * dx + dy * dy;
          pixel = at;
        }
      }
      if (std::isfinite(nearest)) found.push_back(pixel);
    }
  }
  return found;
}

double boundary_f1(const CountedPixels& pixels, std::span<const double> predicted,
                   std::span<const double> truth, int radius) {
  const auto border = static_cast<std::size_t>(radius);
  EdgeCounts total{};
  std::mutex adding;
  const std::size_t rows = pixels.height > 2 * border ? pixels.height - 2 * border : 0;
  parallel_for(rows, 16, [&](std::size_t begin, std::size_t end) {
    EdgeCounts counts{};
    for (std::size_t y = begin + border; y < end + border; ++y) {
      for (std::size_t x = border; x + border < pixels.width; ++x) {
        const std::size_t from = y * pixels.width + x;
        if (pixels.counts[from] == 0) continue;
        for (int dy = -radius; dy <= radius; ++dy) {
          for (int dx = -radius; dx <= radius; ++dx) {
            const auto to = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(from) +
                                                     dy * static_cast<std::ptrdiff_t>(pixels.width) + dx);
            if (dx * dx + dy * dy > radius * radius || pixels.counts[to] == 0) continue;
            count_edges(predicted[from], predicted[to], truth[from], truth[to], counts);
          }
        }
      }
    }
    const std::lock_guard lock(adding);
    for (std::size_t of = 0; of < counts.size(); ++of)
      for (std::size_t k = 0; k < kShares; ++k) total[of][k] += counts[of][k];
  });
  return f1_of(total);
}

}  // namespace aqbench
