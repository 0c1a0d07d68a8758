#include "metrics/cloud_measurements.h"

#include <algorithm>
#include <utility>

namespace aqbench {
namespace {

void add_counts(ScoredCounts& total, const ScoredCounts& counts) {
  total.scored += counts.scored;
  total.non_finite += counts.non_finite;
  total.outside_patch += counts.outside_patch;
  total.outside_crop += counts.outside_crop;
  total.beyond_border += counts.beyond_border;
  total.beyond_max_distance += counts.beyond_max_distance;
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
                                               options.sample_seed, options.part.crop);
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
    add_counts(measured.counts, scored.counts);
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

}  // namespace

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
    measured.completeness->samples.positions_m = std::vector<Vec3>();  // = {} would keep the memory
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
