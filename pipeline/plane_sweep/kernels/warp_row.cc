#include "pipeline/plane_sweep/kernels/tile.h"

#include <algorithm>
#include <bit>

#include "core/parallel.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#define AQBENCH_HAS_GATHER 1
#endif

namespace aqbench::plane_sweep {
namespace {

constexpr float kHighestCode = 65535.0F;
constexpr std::size_t kPackGrain = 32;  // rows

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

// Codes of one row of the image.
AQBENCH_MULTIVERSION
void encode_row(const GreyImage& image, std::size_t y, float low, float codes_per_grey,
                std::uint32_t* codes) {
  const auto width = static_cast<std::size_t>(image.width_px);
  const float* const row = image.grey + y * width;
  for (std::size_t x = 0; x < width; ++x) {
    const float code = (row[x] - low) * codes_per_grey + 0.5F;
    codes[x] =
        static_cast<std::uint32_t>(static_cast<std::int32_t>(code < kHighestCode ? code : kHighestCode));
  }
}

// The row's polynomials in X alone, for u and v.
struct RowPolynomials {
  Lanes u[kNodesX], v[kNodesX];
};

AQBENCH_INLINE RowPolynomials fix_y(const ProjectionFit& fit, float y) {
  RowPolynomials row;
  for (int a = 0; a < kNodesX; ++a) {
    Lanes u = fit.u[a][kNodesY - 1], v = fit.v[a][kNodesY - 1];
    for (int b = kNodesY - 2; b >= 0; --b) {
      u = u * y + fit.u[a][b];
      v = v * y + fit.v[a][b];
    }
    row.u[a] = u;
    row.v[a] = v;
  }
  return row;
}

AQBENCH_INLINE Lanes evaluate_row(const Lanes (&powers)[kNodesX], float x) {
  Lanes value = powers[kNodesX - 1];
  for (int a = kNodesX - 2; a >= 0; --a) value = value * x + powers[a];
  return value;
}

// The four neighbours of sixteen samples: left[i] and right[i] are PackedSource::pairs of columns x and x
// + 1.
struct Neighbours {
  UintLanes left, right;
};

typedef std::uint64_t TwoPairs __attribute__((aligned(4), may_alias));

typedef std::uint32_t HalfLanes __attribute__((vector_size(2 * kLanes)));

// `low` and `high`: the pairs of the first and the last eight samples, left and right in turn.
AQBENCH_INLINE Neighbours split_pairs(UintLanes low, UintLanes high) {
  return {__builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
          __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)};
}
AQBENCH_INLINE Neighbours split_pairs(const std::uint64_t (&pairs)[kLanes]) {
  UintLanes halves[2];
  std::memcpy(halves, pairs, sizeof halves);
  return split_pairs(halves[0], halves[1]);
}

AQBENCH_INLINE Lanes to_float(UintLanes codes) {
  return __builtin_convertvector(std::bit_cast<IntLanes>(codes), Lanes);
}

AQBENCH_INLINE Lanes interpolate(const Neighbours& near, Lanes x_share, Lanes y_share, float centre_code) {
  const Lanes top_left = to_float(near.left & 0xffffU), bottom_left = to_float(near.left >> 16);
  const Lanes top_right = to_float(near.right & 0xffffU), bottom_right = to_float(near.right >> 16);
  const Lanes top = top_left + x_share * (top_right - top_left);
  const Lanes bottom = bottom_left + x_share * (bottom_right - bottom_left);
  return (top - centre_code) + y_share * (bottom - top);
}

// A source image, seen from positions relative to (u_base_px, v_base_px).
struct SourceWindow {
  const std::uint32_t* pairs;
  UintLanes last;
  int stride;
  float left, right, top, bottom;  // of the image
};

AQBENCH_INLINE SourceWindow source_window(const PackedSource& source, int u_base_px, int v_base_px) {
  const std::size_t base = static_cast<std::size_t>(v_base_px) * source.stride + u_base_px;
  const auto left = static_cast<float>(-u_base_px), top = static_cast<float>(-v_base_px);
  return {source.pairs.data() + base,
          UintLanes{} + static_cast<std::uint32_t>(source.last_index() - base),
          source.stride,
          left,
          left + static_cast<float>(source.width_px - 1),
          top,
          top + static_cast<float>(source.height_px - 1)};
}

// GCC's vectoriser does not gather when tuning for generic x86-64, so this step has its own version for each
// instruction set; the rest of the loop is compiled along with it.
namespace baseline {
AQBENCH_INLINE Neighbours gather_pairs(const std::uint32_t* pairs, UintLanes index) {
  std::uint64_t found[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) found[lane] = *(const TwoPairs*)(pairs + index[lane]);
  return split_pairs(found);
}
#include "pipeline/plane_sweep/kernels/warp_row_loop.inc"
}  // namespace baseline

#ifdef AQBENCH_HAS_GATHER
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
namespace level3 {
AQBENCH_INLINE Neighbours gather_pairs(const std::uint32_t* pairs, UintLanes index) {
  alignas(64) std::uint64_t found[kLanes];
  alignas(64) std::int32_t indices[kLanes];
  std::memcpy(indices, &index, sizeof index);
  for (int part = 0; part < kLanes; part += 4)
    _mm256_store_si256(
        (__m256i*)(found + part),
        _mm256_i32gather_epi64((const long long*)pairs, _mm_load_si128((const __m128i*)(indices + part)), 4));
  return split_pairs(found);
}
#include "pipeline/plane_sweep/kernels/warp_row_loop.inc"
}  // namespace level3
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
namespace level4 {
AQBENCH_INLINE UintLanes gather_half(const std::uint32_t* pairs, HalfLanes index) {
  // The masked form with all bits set: GCC warns that the plain one reads an uninitialised register.
  return (UintLanes)_mm512_mask_i32gather_epi64(_mm512_setzero_si512(), 0xff, (__m256i)index, pairs, 4);
}
AQBENCH_INLINE Neighbours gather_pairs(const std::uint32_t* pairs, UintLanes index) {
  return split_pairs(gather_half(pairs, __builtin_shufflevector(index, index, 0, 1, 2, 3, 4, 5, 6, 7)),
                     gather_half(pairs, __builtin_shufflevector(index, index, 8, 9, 10, 11, 12, 13, 14, 15)));
}
#include "pipeline/plane_sweep/kernels/warp_row_loop.inc"
}  // namespace level4
#pragma GCC pop_options
#endif

struct WarpFunctions {
  void (*inside)(const WarpRow&, Lanes*);
  void (*partly_inside)(const WarpRow&, Lanes*);
  void (*guided_inside)(const GuidedRow&, Lanes*);
  void (*guided_partly_inside)(const GuidedRow&, Lanes*);
};

WarpFunctions choose_warp_functions() {
#ifdef AQBENCH_HAS_GATHER
  if (__builtin_cpu_supports("x86-64-v4"))
    return {level4::warp_inside, level4::warp_partly_inside, level4::warp_guided_inside,
            level4::warp_guided_partly_inside};
  if (__builtin_cpu_supports("x86-64-v3"))
    return {level3::warp_inside, level3::warp_partly_inside, level3::warp_guided_inside,
            level3::warp_guided_partly_inside};
#endif
  return {baseline::warp_inside, baseline::warp_partly_inside, baseline::warp_guided_inside,
          baseline::warp_guided_partly_inside};
}

const WarpFunctions& warp_functions() {
  static const WarpFunctions functions = choose_warp_functions();
  return functions;
}

// Polynomials in X of one lane.
struct LanePolynomials {
  float u[kNodesX], v[kNodesX];
};

LanePolynomials lane_of(const RowPolynomials& row, int lane) {
  LanePolynomials polynomials;
  for (int a = 0; a < kNodesX; ++a) {
    polynomials.u[a] = row.u[a][lane];
    polynomials.v[a] = row.v[a][lane];
  }
  return polynomials;
}

AQBENCH_INLINE float evaluate_lane(const float (&powers)[kNodesX], float x) {
  float value = powers[kNodesX - 1];
  for (int a = kNodesX - 2; a >= 0; --a) value = value * x + powers[a];
  return value;
}

// A pixel's samples lie on a nearly straight line from first to last, far closer than an eighth of a pixel.
constexpr float kBend_px = 0.125F;

// For samples from (u0, v0) to (u1, v1); none if a position is NaN.
AQBENCH_INLINE Presence presence_between(const SourceWindow& window, float u0, float v0, float u1, float v1) {
  const float u_min = u0 < u1 ? u0 : u1, u_max = u0 < u1 ? u1 : u0;
  const float v_min = v0 < v1 ? v0 : v1, v_max = v0 < v1 ? v1 : v0;
  const bool all = (u_min >= window.left + kBend_px) & (u_max <= window.right - kBend_px) &
                   (v_min >= window.top + kBend_px) & (v_max <= window.bottom - kBend_px);
  const bool any = (u_max >= window.left - kBend_px) & (u_min <= window.right + kBend_px) &
                   (v_max >= window.top - kBend_px) & (v_min <= window.bottom + kBend_px);
  return all ? Presence::all : any ? Presence::some : Presence::none;
}

}  // namespace

PackedSource pack_source(const GreyImage& image) {
  float low, high;
  float_range(image.grey, image.pixel_count(), low, high);
  high = std::max(high, low + 1e-6F);
  PackedSource packed;
  packed.width_px = image.width_px;
  packed.height_px = image.height_px;
  packed.stride = image.width_px + 1;
  packed.grey_per_code = (high - low) / kHighestCode;
  packed.grey_at_zero = low;
  packed.pairs.resize(static_cast<std::size_t>(packed.stride) * packed.height_px);
  const auto width = static_cast<std::size_t>(image.width_px),
             height = static_cast<std::size_t>(image.height_px);
  const float codes_per_grey = kHighestCode / (high - low);
  parallel_for(height, kPackGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> upper(width), lower(width);
    encode_row(image, begin, low, codes_per_grey, upper.data());
    for (std::size_t y = begin; y < end; ++y) {
      encode_row(image, std::min(y + 1, height - 1), low, codes_per_grey, lower.data());
      std::uint32_t* const row = packed.pairs.data() + y * (width + 1);
      for (std::size_t x = 0; x < width; ++x) row[x] = upper[x] | lower[x] << 16;
      row[width] = row[width - 1];
      upper.swap(lower);
    }
  });
  return packed;
}

std::vector<PackedSource> pack_sources(const Input& input) {
  std::vector<PackedSource> sources;
  for (const View& source : input.sources) sources.push_back(pack_source(source.image));
  return sources;
}

AQBENCH_MULTIVERSION
void classify_row(const WarpRow& row, Presence* presence) {
  const ProjectionFit& fit = *row.fit;
  const SourceWindow window = source_window(*row.source, fit.u_base_px, fit.v_base_px);
  const RowPolynomials polynomials = fix_y(fit, row.y);
  const LanePolynomials near = lane_of(polynomials, 0), far = lane_of(polynomials, kLanes - 1);
  for (int i = 0; i < row.count; ++i)
    presence[i] = presence_between(window, evaluate_lane(near.u, row.x[i]), evaluate_lane(near.v, row.x[i]),
                                   evaluate_lane(far.u, row.x[i]), evaluate_lane(far.v, row.x[i]));
}

AQBENCH_MULTIVERSION
void classify_guided_row(const GuidedRow& row, Presence* presence) {
  const SourceWindow window = source_window(*row.source, row.u_base_px, row.v_base_px);
  const float near = row.offsets[0], far = row.offsets[kLanes - 1];
  for (int i = 0; i < row.count; ++i) {
    const auto at = [i](const float* const(&powers)[3], float t) {
      return (t * powers[2][i] + powers[1][i]) * t + powers[0][i];
    };
    presence[i] = presence_between(window, at(row.u, near), at(row.v, near), at(row.u, far), at(row.v, far));
  }
}

void warp_row_inside(const WarpRow& row, Lanes* samples) { warp_functions().inside(row, samples); }
void warp_row_partly_inside(const WarpRow& row, Lanes* samples) {
  warp_functions().partly_inside(row, samples);
}
void warp_guided_row_inside(const GuidedRow& row, Lanes* samples) {
  warp_functions().guided_inside(row, samples);
}
void warp_guided_row_partly_inside(const GuidedRow& row, Lanes* samples) {
  warp_functions().guided_partly_inside(row, samples);
}

}  // namespace aqbench::plane_sweep
