#include "pipeline/plane_sweep/kernels/packed_source.h"

#include <algorithm>

#include "core/parallel.h"
#include "pipeline/plane_sweep/kernels/lanes.h"

namespace aqbench::plane_sweep {
namespace {

constexpr float kHighestCode = 65535.0F;
constexpr std::size_t kPackGrain = 32;  // rows

struct GreyRange {
  float low, high;
};

AQBENCH_MULTIVERSION
void float_range(const float* values, std::size_t count, float& low, float& high) {
  Lanes lows = broadcast(values[0]), highs = lows;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Lanes some = load_lanes(values + i);
    lows = at_most(some, lows);
    highs = at_least(some, highs);
  }
  low = high = values[0];
  for (int lane = 0; lane < kLanes; ++lane) {
    low = std::min(low, lows[lane]);
    high = std::max(high, highs[lane]);
  }
  for (; i < count; ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
}

GreyRange grey_range(const GreyImage& image) {
  if (image.bytes != nullptr) return {0, 1};  // codes are then exact multiples of the bytes
  GreyRange range;
  float_range(image.floats, image.pixel_count(), range.low, range.high);
  return {range.low, std::max(range.high, range.low + 1e-6F)};
}

// Codes of one row of the image.
AQBENCH_MULTIVERSION
void encode_row(const GreyImage& image, std::size_t y, float low, float codes_per_grey,
                std::uint32_t* codes) {
  const auto width = static_cast<std::size_t>(image.width_px);
  if (image.bytes != nullptr) {
    for (std::size_t x = 0; x < width; ++x) codes[x] = image.bytes[y * width + x] * 257U;
    return;
  }
  const float* const row = image.floats + y * width;
  for (std::size_t x = 0; x < width; ++x) {
    const float code = (row[x] - low) * codes_per_grey + 0.5F;
    codes[x] =
        static_cast<std::uint32_t>(static_cast<std::int32_t>(code < kHighestCode ? code : kHighestCode));
  }
}

}  // namespace

PackedSource pack_source(const GreyImage& image) {
  const GreyRange range = grey_range(image);
  PackedSource packed;
  packed.width_px = image.width_px;
  packed.height_px = image.height_px;
  packed.stride = image.width_px + 1;
  packed.grey_per_code = (range.high - range.low) / kHighestCode;
  packed.grey_at_zero = range.low;
  packed.pairs.resize(static_cast<std::size_t>(packed.stride) * packed.height_px);
  const auto width = static_cast<std::size_t>(image.width_px),
             height = static_cast<std::size_t>(image.height_px);
  const float codes_per_grey = kHighestCode / (range.high - range.low);
  parallel_for(height, kPackGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> upper(width), lower(width);
    encode_row(image, begin, range.low, codes_per_grey, upper.data());
    for (std::size_t y = begin; y < end; ++y) {
      encode_row(image, std::min(y + 1, height - 1), range.low, codes_per_grey, lower.data());
      std::uint32_t* const row = packed.pairs.data() + y * (width + 1);
      for (std::size_t x = 0; x < width; ++x) row[x] = upper[x] | lower[x] << 16;
      row[width] = row[width - 1];
      upper.swap(lower);
    }
  });
  return packed;
}

}  // namespace aqbench::plane_sweep
