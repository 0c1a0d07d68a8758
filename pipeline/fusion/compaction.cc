#include "pipeline/fusion/compaction.h"

#include <bit>
#include <initializer_list>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#define AQBENCH_HAS_COMPRESS 1
#endif

namespace aqbench {
namespace {

// From the row `begin` on, behind `kept` rows.
std::size_t keep_positive_from(std::size_t begin, std::size_t kept, float* u, float* v, float* h, float* k,
                               std::size_t count) {
  for (std::size_t i = begin; i < count; ++i) {
    const float weight = k[i];
    u[kept] = u[i];
    v[kept] = v[i];
    h[kept] = h[i];
    k[kept] = weight;
    kept += weight > 0 ? 1U : 0U;
  }
  return kept;
}

std::size_t keys_from(std::size_t begin, std::size_t kept, float limit, std::uint32_t excluded,
                      const float* values, const std::uint32_t* index, std::size_t count,
                      std::uint64_t* keys) {
  for (std::size_t i = begin; i < count; ++i) {
    keys[kept] = std::uint64_t{std::bit_cast<std::uint32_t>(values[i])} << 32U | index[i];
    kept += static_cast<std::size_t>(values[i] <= limit) & static_cast<std::size_t>(index[i] != excluded);
  }
  return kept;
}

#ifdef AQBENCH_HAS_COMPRESS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
// Whole registers are written: what lies behind the kept values has been read before.
std::size_t keep_positive_of_sixteen(float* u, float* v, float* h, float* k, std::size_t count) {
  std::size_t i = 0, kept = 0;
  for (; i + 16 <= count; i += 16) {
    const __m512 weight = _mm512_loadu_ps(k + i);
    const __mmask16 stays = _mm512_cmp_ps_mask(weight, _mm512_setzero_ps(), _CMP_GT_OQ);
    for (float* const column : {u, v, h, k})
      _mm512_storeu_ps(column + kept, _mm512_maskz_compress_ps(stays, _mm512_loadu_ps(column + i)));
    kept += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(stays)));
  }
  return keep_positive_from(i, kept, u, v, h, k, count);
}

std::size_t keys_of_eight(float limit, std::uint32_t excluded, const float* values,
                          const std::uint32_t* index, std::size_t count, std::uint64_t* keys) {
  std::size_t i = 0, kept = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 value = _mm256_loadu_ps(values + i);
    const __m256i number = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index + i));
    const __mmask8 stays =
        _mm256_mask_cmpneq_epi32_mask(_mm256_cmp_ps_mask(value, _mm256_set1_ps(limit), _CMP_LE_OQ), number,
                                      _mm256_set1_epi32(static_cast<int>(excluded)));
    const __m512i key = _mm512_or_epi64(
        _mm512_maskz_slli_epi64(0xff, _mm512_maskz_cvtepu32_epi64(0xff, _mm256_castps_si256(value)), 32),
        _mm512_maskz_cvtepu32_epi64(0xff, number));
    _mm512_storeu_si512(keys + kept, _mm512_maskz_compress_epi64(stays, key));
    kept += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(stays)));
  }
  return keys_from(i, kept, limit, excluded, values, index, count, keys);
}
#pragma GCC pop_options

const bool has_compress = __builtin_cpu_supports("x86-64-v4") != 0;
#endif

}  // namespace

std::size_t keep_positive(float* u, float* v, float* h, float* k, std::size_t count) {
#ifdef AQBENCH_HAS_COMPRESS
  if (has_compress) return keep_positive_of_sixteen(u, v, h, k, count);
#endif
  return keep_positive_from(0, 0, u, v, h, k, count);
}

std::size_t keys_up_to(float limit, std::uint32_t excluded, const float* values, const std::uint32_t* index,
                       std::size_t count, std::uint64_t* keys) {
#ifdef AQBENCH_HAS_COMPRESS
  if (has_compress) return keys_of_eight(limit, excluded, values, index, count, keys);
#endif
  return keys_from(0, 0, limit, excluded, values, index, count, keys);
}

}  // namespace aqbench
