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

// Returns how many of the shares a ratio exceeds.
int shares_below(double ratio) {
  static constexpr std::array<float, kShares> kEdges = edge_shares();
  const auto exceeds = [ratio](std::size_t k) { return ratio > 1 + double{kEdges[k]}; };
  if (!exceeds(0)) return 0;
  // Shares are equal steps apart: of all but the one next to the ratio it is known which they are.
  const double steps = (ratio - 1 - double{kEdges.front()}) / (0.2 / (kShares - 1)) + 1e-4;
  const auto next = static_cast<std::size_t>(std::min(steps, double{kShares - 1}));
  return static_cast<int>(next) + (exceeds(next) ? 1 : 0);
}

// Returns at how many of the shares, the smallest first, `b` lies behind `a`; negative where `a` lies behind.
int edges_between(double a, double b) {
  if (!(std::min(a, b) > 0))  // an aligned depth may be anything
    return std::abs(b) > std::abs(a) ? shares_below(b / a) : -shares_below(a / b);
  const int shares = shares_below(std::max(a, b) / std::min(a, b));
  return b > a ? shares : -shares;
}

// How many pairs of pixels have so many edges of the prediction, between -10 and 10, and of the truth.
struct EdgeCounts {
  static constexpr int kMax = static_cast<int>(kShares);
  std::array<std::array<std::int64_t, 2 * kShares + 1>, 2 * kShares + 1> counts{};
  std::int64_t& at(int predicted, int truth) {
    return counts[static_cast<std::size_t>(predicted + kMax)][static_cast<std::size_t>(truth + kMax)];
  }
  void add(EdgeCounts other) {
    for (int p = -kMax; p <= kMax; ++p)
      for (int t = -kMax; t <= kMax; ++t) at(p, t) += other.at(p, t);
  }
};
using EdgesByRadius = std::array<EdgeCounts, kEdgeRadii>;

double f1_of(EdgeCounts edges) {
  static constexpr std::array<float, kShares> kEdges = edge_shares();
  double sum = 0, weights = 0;
  bool has_edges = false;
  for (int k = 0; k < EdgeCounts::kMax; ++k) {
    std::int64_t both = 0, all = 0;  // all: of either side, those of both twice
    for (int p = -EdgeCounts::kMax; p <= EdgeCounts::kMax; ++p)
      for (int t = -EdgeCounts::kMax; t <= EdgeCounts::kMax; ++t) {
        if (std::min(p, t) > k || std::max(p, t) < -k) both += edges.at(p, t);
        all += edges.at(p, t) * ((std::abs(p) > k ? 1 : 0) + (std::abs(t) > k ? 1 : 0));
      }
    const double share = kEdges[static_cast<std::size_t>(k)];
    if (all > 0) sum += share * 2 * static_cast<double>(both) / static_cast<double>(all);
    weights += share;
    has_edges = has_edges || all > 0;
  }
  return has_edges ? sum / weights : std::numeric_limits<double>::quiet_NaN();
}

// From a pixel to another, later in the image; `radius` is the least whose disk has both.
struct PixelStep {
  std::ptrdiff_t x, y;
  std::size_t radius;
};

std::vector<PixelStep> steps_ahead() {
  constexpr auto kReach = static_cast<std::ptrdiff_t>(kEdgeRadii);
  std::vector<PixelStep> steps;
  for (std::ptrdiff_t y = 0; y <= kReach; ++y)
    for (std::ptrdiff_t x = y == 0 ? 1 : -kReach; x <= kReach; ++x)
      for (std::ptrdiff_t radius = 1; radius <= kReach; ++radius) {
        if (x * x + y * y > radius * radius) continue;
        steps.push_back({x, y, static_cast<std::size_t>(radius)});
        break;
      }
  return steps;
}

// Counts the edges between pixels of one row and those ahead. At a radius a pair counts if the nearer of its
// pixels is as far from the image's border.
class EdgeCounter {
 public:
  EdgeCounter(const CountedPixels& pixels, std::span<const double> predicted, std::span<const double> truth)
      : pixels_(pixels), predicted_(predicted), truth_(truth) {}

  void count_row(std::ptrdiff_t y, const PixelStep& step) {
    const auto width = static_cast<std::ptrdiff_t>(pixels_.width);
    for (std::ptrdiff_t x = std::max<std::ptrdiff_t>(0, -step.x); x < std::min(width, width - step.x); ++x) {
      const auto a = static_cast<std::size_t>(y * width + x),
                 b = static_cast<std::size_t>((y + step.y) * width + x + step.x);
      if (pixels_.counts[a] == 0 || pixels_.counts[b] == 0) continue;
      const int p = edges_between(predicted_[a], predicted_[b]), t = edges_between(truth_[a], truth_[b]);
      if (p == 0 && t == 0) continue;
      const std::size_t inside_a = inside(x, y), inside_b = inside(x + step.x, y + step.y);
      if (inside_a == inside_b) {
        add(step.radius, inside_a, p, t);
      } else {
        add(step.radius, inside_a, std::max(p, 0), std::max(t, 0));
        add(step.radius, inside_b, std::min(p, 0), std::min(t, 0));
      }
    }
  }

  EdgesByRadius by_radius() const {
    EdgesByRadius sums = edges_;
    for (std::size_t r = 1; r < kEdgeRadii; ++r) sums[r].add(sums[r - 1]);
    return sums;
  }

 private:
  // The largest radius at which a pixel is far enough from the border.
  std::size_t inside(std::ptrdiff_t x, std::ptrdiff_t y) const {
    const auto width = static_cast<std::ptrdiff_t>(pixels_.width),
               height = static_cast<std::ptrdiff_t>(pixels_.height);
    return static_cast<std::size_t>(
        std::min({x, y, width - 1 - x, height - 1 - y, static_cast<std::ptrdiff_t>(kEdgeRadii)}));
  }

  // At the radii from one to another.
  void add(std::size_t radius, std::size_t last, int predicted, int truth) {
    if (last < radius) return;
    ++edges_[radius - 1].at(predicted, truth);
    if (last < kEdgeRadii) --edges_[last].at(predicted, truth);
  }

  const CountedPixels& pixels_;
  std::span<const double> predicted_, truth_;
  EdgesByRadius edges_{};  // from one radius to the next
};

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

std::array<double, kEdgeRadii> boundary_f1(const CountedPixels& pixels, std::span<const double> predicted,
                                           std::span<const double> truth) {
  const std::vector<PixelStep> steps = steps_ahead();
  EdgesByRadius total{};
  std::mutex adding;
  parallel_for(pixels.height, 16, [&](std::size_t begin, std::size_t end) {
    EdgeCounter counter(pixels, predicted, truth);
    for (auto y = static_cast<std::ptrdiff_t>(begin); y < static_cast<std::ptrdiff_t>(end); ++y)
      for (const PixelStep& step : steps)
        if (y + step.y < static_cast<std::ptrdiff_t>(pixels.height)) counter.count_row(y, step);
    const EdgesByRadius found = counter.by_radius();
    const std::lock_guard lock(adding);
    for (std::size_t r = 0; r < kEdgeRadii; ++r) total[r].add(found[r]);
  });
  std::array<double, kEdgeRadii> scores{};
  for (std::size_t r = 0; r < kEdgeRadii; ++r) scores[r] = f1_of(total[r]);
  return scores;
}

}  // namespace aqbench
