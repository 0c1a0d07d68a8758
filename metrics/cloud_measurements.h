#pragma once
// What is measured of a cloud, in memory or on the disk, before it is written as metrics.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/completeness.h"
#include "metrics/score_options.h"
#include "metrics/scored_points.h"
#include "scenes/cloud/cloud_blocks.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// A plane, and the distances of the points to it.
struct PlaneFit {
  Vec3 centroid_m;
  Vec3 normal;    // unit, towards the cameras: z <= 0
  double rmse_m;  // of the distances to the plane
  double max_m;
};

// Fits a plane to the points that count of a cloud in blocks, which are gone through three times. Returns
// nullopt for fewer than 3 points, and for points on one line or at one place, through which many planes
// pass.
std::optional<PlaneFit> fit_plane(const EachBlock& each_block);

// How a cloud is cut while it is measured: what bounds the memory. No result depends on it.
struct BlockSizes {
  std::size_t whole = 20'000'000;                // a cloud of at most so many points is one block, else:
  std::size_t searched = std::size_t{1} << 24U;  // points of a block in which nearest points are searched
  std::size_t scored = std::size_t{1} << 22U;    // points of a block of which errors are measured

  // Returns the blocks' lengths for a cloud of so many points.
  std::size_t searched_of(std::size_t points) const { return length(points, searched); }
  std::size_t scored_of(std::size_t points) const { return length(points, scored); }

 private:
  std::size_t length(std::size_t points, std::size_t block) const {
    return points > whole ? block : std::max<std::size_t>(points, 1);
  }
};

// Which points of a cloud are scored: indices where the cloud is one block, else a bit for each point.
class ScoredSubset {
 public:
  ScoredSubset() = default;
  // `longest`: of the cloud's blocks.
  ScoredSubset(std::size_t points, std::size_t longest);

  // Takes the indices, within a block, of its scored points; blocks come in order.
  void add(const CloudBlock& block, std::vector<std::uint32_t> index);
  std::size_t size() const { return size_; }  // scored points

  // Returns how the scored points of that cloud are gone through; this and the cloud must outlive it.
  EachBlock of(const CloudBlocks& cloud) const;

 private:
  std::size_t points_ = 0, longest_ = 1, size_ = 0;
  std::vector<std::uint32_t> index_;
  std::vector<bool> is_scored_;
};

// What was measured of a cloud. `accuracy` and `completeness` are unset if the cloud has nothing to measure;
// `no_accuracy` and `no_completeness` then say why.
struct CloudMeasurements {
  ScoredCounts counts;
  ScoredSubset subset;
  std::vector<double> signed_error_m;     // of scored points, in the order of blocks and tiles
  std::vector<double> normal_errors_deg;  // of scored points, where the cloud has normals
  bool any_normal = false;                // whether one of these points has a normal with a direction
  TileGrid tiles;                         // if asked for, and if the truth has a patch
  std::optional<PlaneFit> plane;
  std::optional<ErrorSummary> accuracy;
  std::string no_accuracy;
  std::optional<Completeness> completeness;
  std::optional<CompletenessSummary> completeness_summary;
  std::string no_completeness;
};

// Measures a cloud, going through it several times; of a cloud of more than one block it keeps 8 bytes a
// point for the error, 8 more where there are normals, and the order of the tiles. It keeps the places of the
// samples of completeness where the truth has a patch or with `keep_sample_positions`, and else gives their
// memory back before errors take theirs. Uses parallel_for. Throws as score_points() and empty_tiles() do.
CloudMeasurements measure_cloud(const CloudBlocks& cloud, const Surface& truth, const ScoreOptions& options,
                                const BlockSizes& sizes, bool keep_sample_positions);

}  // namespace aqbench
