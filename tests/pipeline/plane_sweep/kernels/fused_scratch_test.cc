// The fused kernel's memory, counted on the heap: this file replaces the test program's operator new.

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/plane_sweep/kernels/synthetic_scene.h"

namespace {
std::atomic<std::size_t> g_live_bytes{0}, g_peak_bytes{0};

void* counted_or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t now = g_live_bytes += malloc_usable_size(memory);
  std::size_t peak = g_peak_bytes;
  while (now > peak && !g_peak_bytes.compare_exchange_weak(peak, now)) {
  }
  return memory;
}

void counted_free(void* memory) noexcept {
  if (memory != nullptr) g_live_bytes -= malloc_usable_size(memory);
  std::free(memory);
}
}  // namespace

void* operator new(std::size_t size) { return counted_or_throw(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return counted_or_throw(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* memory) noexcept { counted_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { counted_free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { counted_free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { counted_free(memory); }

namespace aqbench::plane_sweep {
namespace {

TEST(FusedScratchTest, StaysBelowATenthOfTheVolume) {
  const SyntheticScene scene{.width_px = 480, .height_px = 360};
  const SyntheticViews views = render_synthetic(scene, 0.17, 0.27);
  Options options{.depths = 128};
  for (const CostFunction cost : {CostFunction::zncc, CostFunction::ssim}) {
    options.cost = cost;
    const std::size_t before = g_live_bytes;
    g_peak_bytes = before;
    const Result result = run(views.input, options);
    const std::size_t outputs = (result.depth_m.size() + result.confidence.size()) * sizeof(float);
    const std::size_t scratch = g_peak_bytes - before - outputs;
    const std::size_t volume = std::size_t{480} * 360 * 128 * sizeof(float);
    EXPECT_LT(scratch, volume / 10) << to_string(cost);
    EXPECT_GT(scratch, std::size_t{480} * 360 * 4 * 4);  // the packed sources at least: the count works
  }
}

}  // namespace
}  // namespace aqbench::plane_sweep
