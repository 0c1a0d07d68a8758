#include "pipeline/sparse/sparse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/multiversion.h"
#include "core/parallel.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench::sparse {
namespace {

constexpr std::size_t kMatchGrain = 64, kMatchChunks = 32;

// The largest scalar products of one descriptor with those of another image.
struct Nearest {
  std::int32_t best = std::numeric_limits<std::int32_t>::min(), second = best;
  std::uint32_t index = 0;

  // Takes in another product; the first of equal ones stays the best.
  void add(std::int32_t product, std::uint32_t at) {
    if (product > best || (product == best && at < index)) {
      second = std::exchange(best, product);
      index = at;
    } else {
      second = std::max(second, product);
    }
  }
};

constexpr std::size_t kMaximaLanes = 16;
using MaximaLanes = std::int32_t __attribute__((vector_size(4 * kMaximaLanes)));

// Finds the two largest of each lane's products first.
AQBENCH_MULTIVERSION
Nearest nearest_of(const std::int32_t* products, std::size_t count) {
  constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min();
  MaximaLanes best = MaximaLanes{} + kNone, second = best, index{};
  std::size_t i = 0;
  for (; i + kMaximaLanes <= count; i += kMaximaLanes) {
    MaximaLanes product;
    std::memcpy(&product, products + i, sizeof product);
    const MaximaLanes lesser = product > best ? best : product;
    second = lesser > second ? lesser : second;
    index = product > best ? MaximaLanes{} + static_cast<std::int32_t>(i) : index;
    best = product > best ? product : best;
  }
  Nearest nearest;
  for (std::size_t lane = 0; lane < std::min(i, kMaximaLanes); ++lane) {
    nearest.add(best[lane], static_cast<std::uint32_t>(index[lane]) + static_cast<std::uint32_t>(lane));
    nearest.second = std::max(nearest.second, second[lane]);
  }
  for (; i < count; ++i) nearest.add(products[i], static_cast<std::uint32_t>(i));
  return nearest;
}

// products[i] = query . candidates[i]
AQBENCH_MULTIVERSION
void scalar_products(const std::int16_t* query, const std::int16_t* candidates, std::size_t count,
                     std::int32_t* products) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int16_t* const candidate = candidates + i * kDescriptorSize;
    std::int32_t sum = 0;
    for (int k = 0; k < kDescriptorSize; ++k) sum += std::int32_t{query[k]} * std::int32_t{candidate[k]};
    products[i] = sum;
  }
}

// The nearest of many descriptors, as columns.
struct NearestColumns {
  std::vector<std::int32_t> best, second, index;

  explicit NearestColumns(std::size_t size)
      : best(size, std::numeric_limits<std::int32_t>::min()), second(best), index(size, 0) {}
};

// Takes in the products of all those descriptors with one that comes after the ones before.
AQBENCH_MULTIVERSION
void add_products(const std::int32_t* __restrict products, std::size_t count, std::int32_t with,
                  std::int32_t* __restrict best, std::int32_t* __restrict second,
                  std::int32_t* __restrict index) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t before = best[i], product = products[i];
    const std::int32_t lesser = product > before ? before : product;
    second[i] = lesser > second[i] ? lesser : second[i];
    index[i] = product > before ? with : index[i];
    best[i] = product > before ? product : before;
  }
}

// Of each descriptor of two images, the nearest of the other image.
struct NearestOfBoth {
  std::vector<Nearest> of_first, of_second;
};

NearestOfBoth nearest_descriptors(const Features& first, const Features& second) {
  NearestOfBoth nearest{std::vector<Nearest>(first.size()), std::vector<Nearest>(second.size())};
  const std::size_t grain = std::max(kMatchGrain, (first.size() + kMatchChunks - 1) / kMatchChunks);
  std::vector<NearestColumns> chunks((first.size() + grain - 1) / grain, NearestColumns(second.size()));
  parallel_for(first.size(), grain, [&](std::size_t begin, std::size_t end) {
    NearestColumns& chunk = chunks[begin / grain];
    std::vector<std::int32_t> products(second.size());
    for (std::size_t i = begin; i < end; ++i) {
      scalar_products(first.descriptor(i).data(), second.descriptors.data(), products.size(),
                      products.data());
      nearest.of_first[i] = nearest_of(products.data(), products.size());
      add_products(products.data(), products.size(), static_cast<std::int32_t>(i), chunk.best.data(),
                   chunk.second.data(), chunk.index.data());
    }
  });
  for (const NearestColumns& chunk : chunks)
    for (std::size_t i = 0; i < second.size(); ++i) {
      nearest.of_second[i].add(chunk.best[i], static_cast<std::uint32_t>(chunk.index[i]));
      nearest.of_second[i].second = std::max(nearest.of_second[i].second, chunk.second[i]);
    }
  return nearest;
}

// Of two unit vectors with this scalar product (in kDescriptorNorm^2).
double squared_distance(std::int32_t product) {
  constexpr double unit = 1.0 / (static_cast<double>(kDescriptorNorm) * kDescriptorNorm);
  return std::max(0.0, 2 - 2 * product * unit);
}

// Returns 1 if there is no second best, or both are equal.
double distance_ratio(const Nearest& nearest) {
  if (nearest.second == std::numeric_limits<std::int32_t>::min()) return 1;
  const double second = squared_distance(nearest.second);
  return second > 0 ? std::sqrt(squared_distance(nearest.best) / second) : 1;
}

bool rays_meet(const RefractiveCamera& first_camera, const Vec2& first_px,
               const RefractiveCamera& second_camera, const Vec2& second_px, double max_error_px) {
  const auto first = cast_ray(first_camera, first_px), second = cast_ray(second_camera, second_px);
  if (!first || !second) return false;
  const auto point = triangulate(std::array{*first, *second});
  if (!point) return false;
  const auto in_first = project(first_camera, *point), in_second = project(second_camera, *point);
  return in_first && in_second && (in_first->pixel - first_px).norm() <= max_error_px &&
         (in_second->pixel - second_px).norm() <= max_error_px;
}

struct Link {
  float ratio;
  Sighting a, b;
};

std::vector<Link> sorted_links(std::span<const PairMatches> pairs) {
  std::vector<Link> links;
  for (const PairMatches& pair : pairs)
    for (const Match& match : pair.matches) {
      Link link{match.ratio, {pair.first_view, match.first}, {pair.second_view, match.second}};
      if (link.b < link.a) std::swap(link.a, link.b);
      links.push_back(link);
    }
  std::ranges::sort(links, {}, [](const Link& link) { return std::tie(link.ratio, link.a, link.b); });
  return links;
}

// Sets of keypoints (union-find); members are stored with the smallest one.
class TrackSets {
 public:
  explicit TrackSets(std::span<const Features> features) {
    offsets_.push_back(0);
    for (const Features& view : features) offsets_.push_back(offsets_.back() + view.size());
    root_.resize(offsets_.back());
    std::iota(root_.begin(), root_.end(), std::size_t{0});
    members_.resize(offsets_.back());
    for (std::uint32_t view = 0; view < features.size(); ++view)
      for (std::uint32_t keypoint = 0; keypoint < features[view].size(); ++keypoint)
        members_[offsets_[view] + keypoint] = {{view, keypoint}};
  }

  void join(const Sighting& a, const Sighting& b) {
    std::size_t into = find(a), from = find(b);
    if (into == from || share_a_view(members_[into], members_[from])) return;
    if (from < into) std::swap(into, from);
    Track merged;
    std::ranges::merge(members_[into], members_[from], std::back_inserter(merged));
    members_[into] = std::move(merged);
    members_[from].clear();
    root_[from] = into;
  }

  std::vector<Track> take_tracks() {
    std::vector<Track> tracks;
    for (Track& track : members_)
      if (track.size() >= 2) tracks.push_back(std::move(track));
    return tracks;
  }

 private:
  std::size_t find(const Sighting& sighting) {
    std::size_t i = offsets_[sighting.view] + sighting.keypoint;
    while (root_[i] != i) i = root_[i] = root_[root_[i]];
    return i;
  }

  static bool share_a_view(const Track& a, const Track& b) {
    return std::ranges::any_of(a, [&](const Sighting& sighting) {
      return std::ranges::binary_search(b, sighting.view, {}, &Sighting::view);
    });
  }

  std::vector<std::size_t> offsets_, root_;
  std::vector<Track> members_;
};

}  // namespace

std::vector<Match> match_features(const Features& first, const Features& second, double max_ratio) {
  const auto [forward, backward] = nearest_descriptors(first, second);
  std::vector<Match> matches;
  if (second.size() == 0) return matches;
  for (std::size_t i = 0; i < forward.size(); ++i) {
    const Nearest& back = backward[forward[i].index];
    if (back.index != i) continue;
    const double ratio = std::max(distance_ratio(forward[i]), distance_ratio(back));
    if (ratio < max_ratio)
      matches.push_back({static_cast<std::uint32_t>(i), forward[i].index, static_cast<float>(ratio)});
  }
  return matches;
}

std::vector<Match> epipolar_matches(const std::vector<Match>& matches, const Features& first,
                                    const RefractiveCamera& first_camera, const Features& second,
                                    const RefractiveCamera& second_camera, double max_error_px) {
  std::vector<Match> kept;
  for (const Match& match : matches)
    if (rays_meet(first_camera, first.pixels[match.first], second_camera, second.pixels[match.second],
                  max_error_px))
      kept.push_back(match);
  return kept;
}

std::vector<Track> build_tracks(std::span<const PairMatches> pairs, std::span<const Features> features) {
  TrackSets sets(features);
  for (const Link& link : sorted_links(pairs)) sets.join(link.a, link.b);
  return sets.take_tracks();
}

}  // namespace aqbench::sparse
