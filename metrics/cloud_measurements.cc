#include "metrics/cloud_measurements.h"

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "core/parallel.h"
#include "metrics/numbers/exact_sum.h"

namespace aqbench {
namespace {

// Returns the largest of what value_of(point) gives of the points that count, at least 0.
template <class ValueOf>
double largest_of(std::span<const Vec3> points_m, std::span<const std::uint32_t> index,
                  const ValueOf& value_of) {
  std::vector<double> of_chunk((index.size() + kSumGrain - 1) / kSumGrain);
  parallel_for(index.size(), kSumGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      of_chunk[begin / kSumGrain] = std::max(of_chunk[begin / kSumGrain], value_of(points_m[index[i]]));
  });
  return of_chunk.empty() ? 0 : std::ranges::max(of_chunk);
}

// Appends; what is empty takes over the values. `most`: how many there can be in all.
void append(std::vector<double>& values, std::vector<double> more, std::size_t most) {
  if (values.capacity() == 0 && more.size() == most) {
    values = std::move(more);
    return;
  }
  if (values.capacity() == 0) values.reserve(most);  // memory that is not written to is not taken
  values.insert(values.end(), more.begin(), more.end());
}

// Measures how much of the truth the cloud reaches. First of all: the index of a block needs more memory than
// the errors, and is freed before those are stored.
void measure_reach(const CloudBlocks& cloud, const Surface& truth, const ScoreOptions& options,
                   std::size_t longest, CloudMeasurements& measured) {
  measured.completeness = measure_completeness(cloud, longest, truth, options.sample_spacing_m,
                                               options.sample_seed, options.part.crop, options.samples);
  if (!measured.completeness) {
    measured.no_completeness = cloud.points() == 0 ? "no points" : "no finite points";
  } else if (measured.completeness->distance_m.empty()) {
    measured.completeness.reset();
    measured.no_completeness = kNoTruthInCrop;
  } else {
    measured.completeness_summary = summarize_completeness(*measured.completeness);
  }
}

// Measures the errors of all points; returns where those of each block lie by tiles, if there are tiles.
std::vector<TileGroup> measure_errors(const CloudBlocks& cloud, const Surface& truth,
                                      const ScoreOptions& options, std::size_t longest,
                                      CloudMeasurements& measured) {
  std::vector<TileGroup> groups;
  measured.subset = ScoredSubset(cloud.points(), longest);
  measured.counts.scored_beyond_border = !options.part.leave_out_beyond_border;
  cloud.read(longest, [&](const CloudBlock& block) {
    ScoredPoints scored = score_points(block.points_m, truth, options.part);
    measured.counts.add(scored.counts);
    const std::size_t most = cloud.points() <= longest ? scored.index.size() : cloud.points();
    if (!block.normals.empty()) {
      append(measured.normal_errors_deg, normal_errors_deg(block.points_m, block.normals, scored, truth),
             most);
      measured.any_normal = measured.any_normal || std::ranges::any_of(scored.index, [&](std::uint32_t i) {
                              return has_direction(block.normals[i]);
                            });
    }
    if (!measured.tiles.tiles.empty()) {
      groups.push_back(group_by_tile(measured.tiles, block.points_m, scored.index, scored.signed_error_m));
      groups.back().begin = measured.signed_error_m.size();
    }
    append(measured.signed_error_m, std::move(scored.signed_error_m), most);
    measured.subset.add(block, std::move(scored.index));
  });
  return groups;
}

// Positions need more memory than all else of samples.
std::shared_ptr<const SurfaceSamples> without_positions(const SurfaceSamples& samples) {
  SurfaceSamples rest;
  rest.weights = samples.weights;
  rest.each_m2 = samples.each_m2;
  rest.spacing_m = samples.spacing_m;
  rest.of_points = samples.of_points;
  return std::make_shared<SurfaceSamples>(std::move(rest));
}

}  // namespace

std::optional<PlaneFit> fit_plane(const EachBlock& each_block) {
  using Points = std::span<const Vec3>;
  using Index = std::span<const std::uint32_t>;
  std::size_t points = 0;
  // Exact sums, so that a cloud far from the origin loses no digits, and their order does not matter.
  std::array<ExactSum, 3> sums;
  each_block([&](Points points_m, Index index) {
    points += index.size();
    add_to_sums<3>(sums, index.size(), [&](std::size_t i) {
      const Vec3& point = points_m[index[i]];
      return std::array<double, 3>{point.x(), point.y(), point.z()};
    });
  });
  if (points < 3) return std::nullopt;
  const double count = static_cast<double>(points);
  const Vec3 centroid = Vec3(sums[0].value(), sums[1].value(), sums[2].value()) / count;
  std::array<ExactSum, 6> exact_products;
  each_block([&](Points points_m, Index index) {
    add_to_sums<6>(exact_products, index.size(), [&](std::size_t i) {
      const Vec3 d = points_m[index[i]] - centroid;
      return std::array<double, 6>{d.x() * d.x(), d.x() * d.y(), d.x() * d.z(),
                                   d.y() * d.y(), d.y() * d.z(), d.z() * d.z()};
    });
  });
  const std::array<double, 6> products = rounded(exact_products);
  Eigen::Matrix3d scatter;
  scatter << products[0], products[1], products[2],  //
      products[1], products[3], products[4],         //
      products[2], products[4], products[5];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(scatter);
  // Eigenvalues ascend. The scatter squares lengths: 1e-12 of it is one millionth of the cloud's length.
  if (!(solver.eigenvalues()[1] > 1e-12 * solver.eigenvalues()[2])) return std::nullopt;

  PlaneFit fit{centroid, solver.eigenvectors().col(0), 0, 0};
  if (fit.normal.z() > 0) fit.normal = -fit.normal;
  std::array<ExactSum, 1> squares;
  each_block([&](Points points_m, Index index) {
    const auto distance_of = [&](const Vec3& point) { return std::abs(fit.normal.dot(point - centroid)); };
    add_to_sums<1>(squares, index.size(), [&](std::size_t i) {
      const double distance = distance_of(points_m[index[i]]);
      return std::array<double, 1>{distance * distance};
    });
    fit.max_m = std::max(fit.max_m, largest_of(points_m, index, distance_of));
  });
  fit.rmse_m = std::sqrt(squares[0].value() / count);
  return fit;
}

ScoredSubset::ScoredSubset(std::size_t points, std::size_t longest) : points_(points), longest_(longest) {
  if (points_ > longest_) is_scored_.resize(points_);
}

void ScoredSubset::add(const CloudBlock& block, std::vector<std::uint32_t> index) {
  size_ += index.size();
  if (points_ <= longest_) {
    index_ = std::move(index);
    return;
  }
  for (const std::uint32_t i : index) is_scored_[block.first + i] = true;
}

EachBlock ScoredSubset::of(const CloudBlocks& cloud) const {
  return [this, &cloud](const auto& body) {
    std::vector<std::uint32_t> of_block;
    cloud.read(longest_, [&](const CloudBlock& block) {
      if (points_ <= longest_) return body(block.points_m, index_);
      of_block.clear();
      for (std::uint32_t i = 0; i < block.points_m.size(); ++i)
        if (is_scored_[block.first + i]) of_block.push_back(i);
      body(block.points_m, of_block);
    });
  };
}

CloudMeasurements measure_cloud(const CloudBlocks& cloud, const Surface& truth, const ScoreOptions& options,
                                const BlockSizes& sizes, bool keep_sample_positions) {
  CloudMeasurements measured;
  if (options.tiles && truth.patch() != nullptr) measured.tiles = empty_tiles(*truth.patch(), options.tile_m);
  measure_reach(cloud, truth, options, sizes.searched_of(cloud.points()), measured);
  if (measured.completeness && truth.patch() == nullptr && !keep_sample_positions)
    measured.completeness->samples = without_positions(*measured.completeness->samples);
  const std::vector<TileGroup> groups =
      measure_errors(cloud, truth, options, sizes.scored_of(cloud.points()), measured);
  if (!measured.tiles.tiles.empty())
    fill_tiles(measured.tiles, measured.signed_error_m, groups,
               measured.completeness ? &*measured.completeness : nullptr);
  if (measured.subset.size() > 0) {
    measured.accuracy = summarize_errors(measured.signed_error_m);
    measured.plane = fit_plane(measured.subset.of(cloud));
  } else {
    const bool any_finite = measured.counts.non_finite < cloud.points();
    measured.no_accuracy = !any_finite                 ? measured.no_completeness
                           : options.part.is_partial() ? "no points in the scored part"
                                                       : "no points inside the patch";
  }
  return measured;
}

}  // namespace aqbench
