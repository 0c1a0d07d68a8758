#include "harness/statistics/resolution.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"
#include "harness/statistics/checks.h"
#include "harness/statistics/hodges_lehmann.h"
#include "harness/statistics/signed_rank.h"
#include "harness/statistics/walsh.h"

namespace aqbench {

std::optional<double> smallest_visible_shift(std::span<const double> differences,
                                             const ResolutionQuestion& question) {
  require_between("alpha", question.alpha, 0, 0.5);
  require_between("power", question.power, 0, 1);
  require_at_least("draws", question.draws, 1);
  const double estimate = hodges_lehmann(differences).estimate;
  const auto quantile = signed_rank_quantile(differences.size(), question.alpha);
  if (!quantile) return std::nullopt;

  const RandomKey key{question.seed, RandomStream::resolution};
  const auto n = static_cast<double>(differences.size());  // at least 2, as there is a quantile
  const double widening = (n + 1) / (n - 1);
  const auto choices = 2 * static_cast<double>(differences.size());
  std::vector<double> sample(differences.size());
  std::vector<double> needed(static_cast<std::size_t>(question.draws));
  for (std::size_t draw = 0; draw < needed.size(); ++draw) {
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const auto choice =
          static_cast<std::size_t>(uniform01(key, draw, static_cast<std::uint32_t>(i)) * choices);
      const double residual = widening * (differences[choice / 2] - estimate);
      sample[i] = choice % 2 == 0 ? residual : -residual;
    }
    std::sort(sample.begin(), sample.end());
    // The test rejects once the (w + 1)-th smallest Walsh average is above 0.
    needed[draw] =
        std::max(question.flag_above - median_walsh_average(sample), -walsh_average(sample, quantile->w + 1));
  }
  std::sort(needed.begin(), needed.end());
  const double rank = std::ceil(question.power * question.draws);
  return needed[static_cast<std::size_t>(rank) - 1];
}

}  // namespace aqbench
