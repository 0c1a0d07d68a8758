#include "harness/ab/ab_command.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "core/random.h"

namespace aqbench {
namespace {

constexpr std::size_t kPaddingBytes = 4096;
constexpr std::size_t kOrderBytes = std::size_t{64} << 10;
constexpr std::uint32_t kLayoutSlot = 1;  // the coin of a pair has slot 0
constexpr std::uint32_t kPaddingSlot = 3;
constexpr std::uint64_t kDrawsOfCase = std::uint64_t{1} << 32;

struct VarianceParts {
  double between = 0, within = 0;
  std::size_t layouts = 0, units = 0;
};

// Of the logarithms of one side, by layout: the variance between layouts by the method of moments.
std::optional<VarianceParts> variance_parts(const std::map<std::uint64_t, std::vector<double>>& groups) {
  double sum = 0, count = 0, squared_counts = 0;
  for (const auto& [layout, values] : groups) {
    for (const double value : values) sum += value;
    const auto n = static_cast<double>(values.size());
    count += n;
    squared_counts += n * n;
  }
  const auto k = static_cast<double>(groups.size());
  if (k < 2 || count <= k) return std::nullopt;
  double between = 0, within = 0;
  for (const auto& [layout, values] : groups) {
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) within += (value - mean) * (value - mean);
    between += static_cast<double>(values.size()) * (mean - sum / count) * (mean - sum / count);
  }
  VarianceParts parts;
  parts.within = within / (count - k);
  const double usual_size = (count - squared_counts / count) / (k - 1);
  parts.between = std::max(0.0, (between / (k - 1) - parts.within) / usual_size);
  parts.layouts = groups.size();
  parts.units = static_cast<std::size_t>(count);
  return parts;
}

}  // namespace

std::uint64_t drawn_layout(std::uint64_t order_seed, std::uint64_t layouts, std::size_t case_index,
                           std::size_t draw, AbSide side) {
  const double u = uniform01({order_seed, RandomStream::pair_order}, case_index * kDrawsOfCase + draw,
                             kLayoutSlot + (side == AbSide::b ? 1 : 0));
  return std::min(layouts - 1, static_cast<std::uint64_t>(u * static_cast<double>(layouts)));
}

std::size_t layout_padding(std::uint64_t layout) {
  return static_cast<std::size_t>(uniform01({layout, RandomStream::pair_order}, 0, kPaddingSlot) *
                                  static_cast<double>(kPaddingBytes));
}

std::string layout_order_bytes(std::uint64_t layout) {
  std::string bytes;
  bytes.reserve(kOrderBytes);
  for (std::uint32_t block = 0; bytes.size() < kOrderBytes; ++block)
    for (const std::uint32_t word : philox4x32(
             {block, 0, 0, 0},
             {static_cast<std::uint32_t>(layout), static_cast<std::uint32_t>(RandomStream::pair_order)}))
      for (int shift = 0; shift < 32; shift += 8)
        bytes.push_back(static_cast<char>(static_cast<unsigned char>(word >> shift)));
  return bytes;
}

std::optional<LayoutShare> layout_share(const AbSamples& samples, std::size_t case_index) {
  std::array<std::map<std::uint64_t, std::vector<double>>, 2> sides;
  for (const Record& unit : samples.units)
    if (unit.unit->case_index == case_index && unit.unit->layout && unit.status == Status::ok &&
        !unit.timing.warm_ms.empty())
      sides[index_of(unit.unit->side)][*unit.unit->layout].push_back(
          std::log(*std::ranges::min_element(unit.timing.warm_ms)));
  double between = 0, within = 0;
  LayoutShare result;
  for (const auto& groups : sides) {
    const auto parts = variance_parts(groups);
    if (!parts) return std::nullopt;
    between += parts->between;
    within += parts->within;
    result.layouts += parts->layouts;
    result.units += parts->units;
  }
  if (between + within > 0) result.share = between / (between + within);
  return result;
}

}  // namespace aqbench
