// The fused tricubic kernel. The weights of three axes make one of 4 x 4 x 4 weighted sums; the four
// neighbours along l lie side by side in memory and are one vector.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/multiversion.h"
#include "core/parallel.h"
#include "pipeline/workloads/tricubic.h"

namespace aqbench {
namespace {

typedef double FourDoubles __attribute__((vector_size(32), aligned(32)));

// Lagrange's weights of the nodes -1, 0, 1, 2 at x.
AQBENCH_INLINE void lagrange_weights(double x, double* weights) {
  const double before = x + 1, after = x - 1, last = x - 2;
  weights[0] = x * after * last * (-1.0 / 6);
  weights[1] = before * after * last * 0.5;
  weights[2] = before * x * last * -0.5;
  weights[3] = before * x * after * (1.0 / 6);
}

AQBENCH_MULTIVERSION
void tricubic_range(const double* grid, const double* h, const double* k, const double* l, std::size_t count,
                    double* factors) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_neighbours(h[i], k[i], l[i])) {
      factors[i] = factor_without_neighbours(grid, h[i], k[i], l[i]);
      continue;
    }
    // Indices are above -3 here: truncation of a positive number is its floor.
    const int h0 = static_cast<int>(h[i] + kGridReach) - 1, k0 = static_cast<int>(k[i] + kGridReach) - 1,
              l0 = static_cast<int>(l[i] + kGridReach) - 1;
    double weights_h[4], weights_k[4], weights_l[4];
    lagrange_weights(h[i] - (h0 + 1 - kGridReach), weights_h);
    lagrange_weights(k[i] - (k0 + 1 - kGridReach), weights_k);
    lagrange_weights(l[i] - (l0 + 1 - kGridReach), weights_l);
    const double* corner = grid + (h0 * kGridSide + k0) * kGridSide + l0;
    FourDoubles sum = {};
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {
        FourDoubles row;
        std::memcpy(&row, corner + (a * kGridSide + b) * kGridSide, sizeof row);
        sum += row * (weights_h[a] * weights_k[b]);
      }
    factors[i] =
        sum[0] * weights_l[0] + sum[1] * weights_l[1] + sum[2] * weights_l[2] + sum[3] * weights_l[3];
  }
}

}  // namespace

std::vector<double> tricubic_fused(const std::vector<double>& grid, const TricubicQueries& queries,
                                   std::int64_t batch) {
  const std::size_t count = queries.h.size();
  std::vector<double> factors(count);
  // A chunk is at least worth the start of a thread.
  const auto grain = std::max<std::size_t>(static_cast<std::size_t>(batch), 32768);
  parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
    tricubic_range(grid.data(), queries.h.data() + begin, queries.k.data() + begin, queries.l.data() + begin,
                   end - begin, factors.data() + begin);
  });
  return factors;
}

}  // namespace aqbench
