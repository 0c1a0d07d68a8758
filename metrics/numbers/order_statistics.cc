#include "metrics/numbers/order_statistics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "core/parallel.h"

namespace aqbench {
namespace {

// Moves the values that are `before` to the front, without a branch, and returns how many there are.
template <class Before>
std::size_t move_to_front(std::span<double> values, const Before& before) {
  std::size_t front = 0;
  for (double& value : values) {
    const double here = std::exchange(value, values[front]);
    values[front] = here;
    front += before(here) ? 1 : 0;
  }
  return front;
}

// Does what nth_element does and returns values[k]. Each round splits at a value of a small sample that has
// about the wanted rank; what many equal or unlucky values leave after some rounds is left to nth_element.
double select_in_place(std::span<double> values, std::size_t k) {
  constexpr std::size_t kSample = 31, kFewValues = 256;
  for (int rounds = 32; rounds > 0 && values.size() > kFewValues; --rounds) {
    std::array<double, kSample> sample;
    for (std::size_t i = 0; i < kSample; ++i) sample[i] = values[i * (values.size() / kSample)];
    std::ranges::sort(sample);
    const double pivot = sample[k * kSample / values.size()];
    const std::size_t less = move_to_front(values, [&](double value) { return value < pivot; });
    if (k < less) {
      values = values.first(less);
      continue;
    }
    values = values.subspan(less);
    k -= less;
    const std::size_t equal = move_to_front(values, [&](double value) { return value <= pivot; });
    if (k < equal) return pivot;
    values = values.subspan(equal);
    k -= equal;
  }
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k), values.end());
  return values[k];
}

// A number that orders as the double does: its leading 16 bits are sign, exponent and four bits of mantissa.
std::uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

constexpr unsigned kBinBits = 16;
constexpr std::size_t kBins = std::size_t{1} << kBinBits;

std::size_t bin_of(double value) { return ordered_bits(value) >> (64U - kBinBits); }

// Order statistics of value_at(0 .. count - 1) by counting into bins of equal leading bits, 16 an octave:
// only the values of the bin that holds a rank are then looked at.
template <class ValueAt>
class Ranks {
 public:
  Ranks(std::size_t count, const ValueAt& value_at) : count_(count), value_at_(value_at), bin_counts_(kBins) {
    std::mutex adding;
    for_each_share([&](std::size_t begin, std::size_t end) {
      std::vector<std::uint32_t> counts(kBins);
      for (std::size_t i = begin; i < end; ++i) ++counts[bin_of(value_at(i))];
      const std::lock_guard lock(adding);
      std::ranges::transform(counts, bin_counts_, bin_counts_.begin(), std::plus());
    });
  }

  // Linear between the two ranks that q lies between.
  double percentile(double q) {
    const double rank = q * static_cast<double>(count_ - 1);
    const auto below = static_cast<std::size_t>(rank);
    const double fraction = rank - static_cast<double>(below);
    const double low = at_rank(below);
    return fraction == 0 ? low : low + fraction * (at_rank(below + 1) - low);
  }

  double at_rank(std::size_t rank) {
    std::size_t bin = 0, before = 0;
    while (before + bin_counts_[bin] <= rank) before += bin_counts_[bin++];
    if (bin != gathered_bin_) gather(bin);
    return select_in_place(gathered_, rank - before);
  }

 private:
  // One share for each thread: what is counted and selected does not depend on them.
  template <class Body>
  void for_each_share(const Body& body) const {
    const std::size_t share = count_ / static_cast<std::size_t>(thread_count()) + 1;
    parallel_for(count_, std::max(share, kSumGrain), body);
  }

  void gather(std::size_t bin) {
    gathered_.clear();
    gathered_.reserve(bin_counts_[bin]);  // exactly: all values may be in one bin
    std::mutex adding;
    for_each_share([&](std::size_t begin, std::size_t end) {
      std::array<double, 1024> found;
      std::size_t held = 0;
      const auto add = [&] {
        const std::lock_guard lock(adding);
        gathered_.insert(gathered_.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(held));
        held = 0;
      };
      for (std::size_t i = begin; i < end; ++i) {
        const double value = value_at_(i);
        if (bin_of(value) != bin) continue;
        found[held++] = value;
        if (held == found.size()) add();
      }
      add();
    });
    gathered_bin_ = bin;
  }

  std::size_t count_;
  const ValueAt& value_at_;
  std::vector<std::uint32_t> bin_counts_;
  std::vector<double> gathered_;
  std::size_t gathered_bin_ = kBins;  // none
};

template <class ValueAt>
std::vector<double> percentiles_of(std::size_t count, const ValueAt& value_at,
                                   std::initializer_list<double> qs) {
  Ranks<ValueAt> ranks(count, value_at);
  std::vector<double> result;
  for (const double q : qs) result.push_back(ranks.percentile(q));
  return result;
}

double sum_of_weights(std::span<const WeightedValue> values) {
  double sum = 0;
  for (const WeightedValue& item : values) sum += item.weight;
  return sum;
}

double sum_of_equal_weights(std::size_t count, double weight) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += weight;
  return sum;
}

// Returns the smallest of the values that hold at least this weight.
double select_by_weight(std::span<WeightedValue> values, double wanted) {
  // Quickselect by halves: linear on average, since nth_element is and each round halves what is left.
  while (values.size() > 1) {
    const std::size_t half = values.size() / 2;
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(half), {},
                             &WeightedValue::value);
    const double below = sum_of_weights(values.first(half));
    if (below >= wanted) {
      values = values.first(half);
    } else {
      wanted -= below;
      values = values.subspan(half);
    }
  }
  return values.front().value;
}

// The rank of the value that select_by_weight() finds of values of equal weight: its sums are known.
std::size_t rank_by_weight(std::size_t count, double weight, double q) {
  std::size_t rank = 0;
  double wanted = q * sum_of_equal_weights(count, weight);
  while (count > 1) {
    const std::size_t half = count / 2;
    const double below = sum_of_equal_weights(half, weight);
    if (below >= wanted) {
      count = half;
    } else {
      wanted -= below;
      rank += half;
      count -= half;
    }
  }
  return rank;
}

}  // namespace

std::vector<double> percentiles(std::span<const double> values, std::initializer_list<double> qs) {
  return percentiles_of(
      values.size(), [&](std::size_t i) { return values[i]; }, qs);
}

std::vector<double> deviation_percentiles(std::span<const double> values, double centre,
                                          std::initializer_list<double> qs) {
  return percentiles_of(
      values.size(), [&](std::size_t i) { return std::abs(values[i] - centre); }, qs);
}

double percentile_in_place(std::span<double> values, double q) {
  const double rank = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const double fraction = rank - static_cast<double>(below);
  const double low = select_in_place(values, below);
  if (fraction == 0) return low;
  const double high = *std::ranges::min_element(values.subspan(below + 1));
  return low + fraction * (high - low);
}

double median_in_place(std::span<double> values) { return percentile_in_place(values, 0.5); }

double nmad_in_place(std::span<double> values) {
  const double centre = median_in_place(values);
  for (double& value : values) value = std::abs(value - centre);
  return kNmadScale * median_in_place(values);
}

double weighted_percentile_in_place(std::span<WeightedValue> values, double q) {
  return select_by_weight(values, q * sum_of_weights(values));
}

std::vector<double> weighted_percentiles(std::span<const double> values, double weight,
                                         std::initializer_list<double> qs) {
  const auto value_at = [&](std::size_t i) { return values[i]; };
  Ranks<decltype(value_at)> ranks(values.size(), value_at);
  std::vector<double> found;
  for (const double q : qs) found.push_back(ranks.at_rank(rank_by_weight(values.size(), weight, q)));
  return found;
}

std::vector<double> weighted_percentiles(std::span<const double> values, std::span<const double> weights,
                                         std::initializer_list<double> qs) {
  std::vector<double> bin_weights(kBins);
  double total = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t bin = bin_of(values[i]);
    bin_weights[bin] += weights[i];
    total += weights[i];
    last = std::max(last, bin);
  }
  std::vector<double> found;
  for (const double q : qs) {
    double wanted = q * total;
    std::size_t bin = 0;
    while (bin < last && (bin_weights[bin] < wanted || bin_weights[bin] == 0)) wanted -= bin_weights[bin++];
    std::vector<WeightedValue> of_bin;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (bin_of(values[i]) == bin) of_bin.push_back({values[i], weights[i]});
    found.push_back(select_by_weight(of_bin, wanted));
  }
  return found;
}

}  // namespace aqbench
