#include "metrics/protocols/distance_cache.h"

namespace aqbench {
namespace {

std::string distances_key(const CloudKnobs& knobs) {
  std::string key;
  for (const CloudKnob& knob : cloud_knobs())
    if (knob.of_distances) key += knob.text(knobs) + ' ';
  return key;
}

}  // namespace

ProtocolResult DistanceCache::score(const CloudKnobs& knobs) {
  check(knobs);
  const std::string key = distances_key(knobs);
  auto found = distances_.find(key);
  if (found == distances_.end())
    found = distances_.emplace(key, measure_distances(knobs, cloud_, truth_)).first;
  return summarize_distances(knobs, found->second);
}

}  // namespace aqbench
