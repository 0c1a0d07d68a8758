#include "metrics/protocols/explain.h"

#include <array>

#include "metrics/protocols/cloud_protocol.h"

namespace aqbench {
namespace {

constexpr std::array kExplained = {"precision", "recall", "f_score", "accuracy_mean", "completeness_mean"};

// The explained numbers of a setting, in their order.
using Numbers = std::array<std::optional<double>, kExplained.size()>;

Numbers numbers_of(DistanceCache& cache, const CloudKnobs& knobs) {
  const ProtocolResult result = cache.score(knobs);
  Numbers numbers;
  for (std::size_t n = 0; n < kExplained.size(); ++n)
    for (const ProtocolValue& value : result)
      if (value.name == kExplained[n]) numbers[n] = value.value;
  return numbers;
}

std::optional<double> difference(const std::optional<double>& from, const std::optional<double>& to) {
  return from && to ? std::optional(*to - *from) : std::nullopt;
}

}  // namespace

std::vector<Explanation> explain_difference(CloudKnobs a, CloudKnobs b, const PointCloud& cloud,
                                            const CloudTruth& truth) {
  check(a);
  check(b);
  a.thresholds_m.resize(1);
  b.thresholds_m.resize(1);
  DistanceCache cache(cloud, truth);
  const Numbers of_a = numbers_of(cache, a), of_b = numbers_of(cache, b);
  std::vector<Explanation> explanations;
  for (std::size_t n = 0; n < kExplained.size(); ++n)
    explanations.push_back({kExplained[n], n < 3 ? "1" : "m", of_a[n], of_b[n], {}});
  CloudKnobs on_the_way = a;
  Numbers before = of_a;
  for (const CloudKnob& knob : cloud_knobs()) {
    if (knob.text(a) == knob.text(b)) continue;
    CloudKnobs one = a;
    knob.set(one, knob.text(b));
    knob.set(on_the_way, knob.text(b));
    const Numbers alone = numbers_of(cache, one), after = numbers_of(cache, on_the_way);
    for (std::size_t n = 0; n < kExplained.size(); ++n)
      explanations[n].effects.push_back({knob.name, knob.text(a), knob.text(b), difference(of_a[n], alone[n]),
                                         difference(before[n], after[n])});
    before = after;
  }
  return explanations;
}

}  // namespace aqbench
