#include "pipeline/sparse/tracks.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace aqbench::sparse {
namespace {

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
  std::ranges::sort(links, [](const Link& x, const Link& y) {
    return std::tie(x.ratio, x.a, x.b) < std::tie(y.ratio, y.a, y.b);
  });
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
    auto x = a.begin();
    for (auto y = b.begin(); x != a.end() && y != b.end();) {
      if (x->view == y->view) return true;
      if (x->view < y->view)
        ++x;
      else
        ++y;
    }
    return false;
  }

  std::vector<std::size_t> offsets_, root_;
  std::vector<Track> members_;
};

}  // namespace

std::vector<Track> build_tracks(std::span<const PairMatches> pairs, std::span<const Features> features) {
  TrackSets sets(features);
  for (const Link& link : sorted_links(pairs)) sets.join(link.a, link.b);
  return sets.take_tracks();
}

}  // namespace aqbench::sparse
