#pragma once
// Tricubic interpolation of structure factors on a grid (the kernel of nanoBragg): the Lagrange polynomial
// through 4 x 4 x 4 grid points around each query.

#include <cstdint>
#include <vector>

namespace aqbench {

inline constexpr int kGridReach = 4;  // indices -4 to 4 on each axis
inline constexpr int kGridSide = 2 * kGridReach + 1;
inline constexpr double kFactorOutside = 100;  // where there is no grid point either

// [query], each; and how many a call of a batched variant takes.
struct TricubicQueries {
  std::vector<double> h, k, l;
};

// F = 100 + 10 h + 5 k + 2 l + 0.5 h k + 0.3 k l + 0.2 h l: interpolation gives it exactly.
double structure_factor(double h, double k, double l);

// [h][k][l], of the grid points.
std::vector<double> structure_factor_grid();

// A query needs its 4 x 4 x 4 neighbours: -3 <= index < 3.
bool has_neighbours(double h, double k, double l);

// For a query without: the grid point next to it, or kFactorOutside where there is none. Of that query alone.
double factor_without_neighbours(const double* grid, double h, double k, double l);

// `count` seeded queries, of which a share has no neighbours.
TricubicQueries make_queries(std::uint64_t seed, std::int64_t count, double outside_share);

// [query]. `batch` queries a call.
std::vector<double> tricubic_loop(const std::vector<double>& grid, const TricubicQueries& queries);
std::vector<double> tricubic_torch(const std::vector<double>& grid, const TricubicQueries& queries,
                                   std::int64_t batch, const char* device);
std::vector<double> tricubic_fused(const std::vector<double>& grid, const TricubicQueries& queries,
                                   std::int64_t batch);

}  // namespace aqbench
