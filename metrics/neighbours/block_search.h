#pragma once
// The searches in a NearestNeighbourIndex. `stack` of each has room for kWidth children a level and one more.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metrics/neighbours/blocks.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench::blocks {

// Writes to out_m[i] the distance from queries_m[i] to the nearest point.
void find_distances(const IndexedBlocks<double>& blocks, std::span<const Vec3> queries_m, double* out_m,
                    Pending* stack);
void find_distances(const IndexedBlocks<float>& blocks, std::span<const Vec3> queries_m, double* out_m,
                    Pending* stack);

// Writes to out[i] the slot of the point nearest to queries_m[i], of those equally near the one of the
// smallest index.
void find_nearest(const IndexedBlocks<double>& blocks, std::span<const Vec3> queries_m, std::uint32_t* out,
                  Pending* stack);
void find_nearest(const IndexedBlocks<float>& blocks, std::span<const Vec3> queries_m, std::uint32_t* out,
                  Pending* stack);

// Some blocks in a row.
struct BlockRange {
  std::uint32_t begin, end;
};

// Room for what a search of several points has found so far.
struct Candidates {
  std::size_t count = 0;
  std::vector<double> squared_m2;
  std::vector<std::uint32_t> slots;
};

// Finds the `wanted` points nearest to the query, nearest first; fewer where there are fewer points. Looks at
// the `first` blocks first: the nearer they are the shorter is the search.
void collect_nearest(const IndexedBlocks<double>& blocks, const Vec3& query_m, std::size_t wanted,
                     BlockRange first, Candidates& near, Pending* stack, std::vector<Neighbour>& out);
void collect_nearest(const IndexedBlocks<float>& blocks, const Vec3& query_m, std::size_t wanted,
                     BlockRange first, Candidates& near, Pending* stack, std::vector<Neighbour>& out);

}  // namespace aqbench::blocks
