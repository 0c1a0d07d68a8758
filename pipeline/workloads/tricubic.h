#pragma once
// Tricubic interpolation of structure factors on a grid (the kernel of nanoBragg): the Lagrange polynomial
// through 4 x 4 x 4 grid points around each query.

#include <cstdint>
#include <vector>

namespace aqbench {

// The grid has the indices -4 to 4 on each axis.
inline constexpr int kGridReach = 4;

// The number of grid points along each axis.
inline constexpr int kGridSide = 2 * kGridReach + 1;

// The factor far from all grid points.
inline constexpr double kFactorOutside = 100;

// Query positions, as three arrays [query].
struct TricubicQueries {
  std::vector<double> h, k, l;
};

// Returns F = 100 + 10 h + 5 k + 2 l + 0.5 h k + 0.3 k l + 0.2 h l, which interpolation reproduces exactly.
double structure_factor(double h, double k, double l);

// Returns F at the grid points, [h][k][l].
std::vector<double> structure_factor_grid();

// Returns whether a query has its 4 x 4 x 4 neighbours: -3 <= index < 3.
bool has_neighbours(double h, double k, double l);

// Returns the factor of a query without neighbours: that of the nearest grid point, or kFactorOutside if
// there is none.
double factor_without_neighbours(const double* grid, double h, double k, double l);

// Makes `count` seeded queries; a share of them has no neighbours.
TricubicQueries make_queries(std::uint64_t seed, std::int64_t count, double outside_share);

// Interpolates all queries in plain loops.
std::vector<double> tricubic_loop(const std::vector<double>& grid, const TricubicQueries& queries);

// Factors, and the number of kernel calls that computed them.
struct BatchedFactors {
  std::vector<double> values;
  std::int64_t kernel_calls = 0;
};

// Interpolates in vectorised LibTorch, `batch` queries a call.
BatchedFactors tricubic_torch(const std::vector<double>& grid, const TricubicQueries& queries,
                              std::int64_t batch, const char* device);

// Interpolates in one pass, `batch` queries a call.
BatchedFactors tricubic_fused(const std::vector<double>& grid, const TricubicQueries& queries,
                              std::int64_t batch);

}  // namespace aqbench
