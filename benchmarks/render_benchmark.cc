// The renderer, beside Embree's own rate on meshes of the same surface in the same run.
//   build/release/render_benchmark
//
// render_ring12: the 13 images of ring12 (1600 x 1200, 4 samples a pixel) on all processors; `images_s` is
// the wall time of the 13, `rays/s` counts the samples that were cast. Without PNG and the true depths.
//
// rays/*: one thread, the same refracted rays: those of a 512 x 320 block of pixels in the middle of the
// centre camera, which all meet the patch. first_hit is to rounding, first_hit/undulating_100nm what
// images take, cast_and_hit with Snell's law for each pixel included. embree1/16: Embree's rtcIntersect1 and
// rtcIntersect16 (coherent) on triangles of this pitch, mask -1 (with mask 0 it never hits); `error_um` is
// the largest distance of its depths from the exact ones, `misses` the rays that slip between triangles. Its
// rays come ready made, as ours do in first_hit.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "benchmarks/embree_rays.h"
#include "core/parallel.h"
#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/rendering/imaging.h"

namespace aqbench {
namespace {

void count_rays(benchmark::State& state, std::size_t rays) {
  state.counters["rays/s"] = benchmark::Counter(
      static_cast<double>(rays) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

// Depths of all rays, each guessed from that of the first, and with `cast` the rays as well.
void first_hit(benchmark::State& state, const char* name, double tolerance_m, bool cast) {
  const Scene scene = make_scene(name, {});
  const RayBlock block = make_block(scene);
  const RayHitter hitter(field_of(scene), kMaxRayDepth_m, tolerance_m);
  std::vector<WaterRay> rays = block.rays;
  std::vector<double> depths_m(rays.size());
  for (auto _ : state) {
    for (std::size_t i = 0; cast && i < rays.size(); ++i)
      rays[i] = cast_ray(block.camera, block.pixels[i]).value();
    std::ranges::fill(depths_m, block.exact_m[0]);
    hitter.first_hits_m(rays, depths_m);
    benchmark::DoNotOptimize(depths_m.data());
  }
  count_rays(state, block.rays.size());
}

void texture_at(benchmark::State& state) {
  const Scene scene = make_scene("undulating", {});
  const RayBlock block = make_block(scene);
  const Texture texture({}, 42);
  for (auto _ : state) {
    double sum = 0;
    for (std::size_t i = 0; i < block.rays.size(); ++i) {
      const Vec3 p = point_on_ray(block.rays[i], block.exact_m[i]);
      sum += texture.at(p.x(), p.y());
    }
    benchmark::DoNotOptimize(sum);
  }
  count_rays(state, block.rays.size());
}

template <int width>
void embree(benchmark::State& state, double pitch_m) {
  const Scene scene = make_scene("undulating", {});
  const RayBlock block = make_block(scene);
  const EmbreeScene bvh(scene.truth.surface->mesh(pitch_m));
  std::vector<RayHits<width>> fresh;
  for (std::size_t i = 0; i < block.rays.size(); i += width) fresh.push_back(packet<width>(block.rays, i));
  alignas(64) int valid[16];
  std::fill(std::begin(valid), std::end(valid), -1);
  double error_m = 0, misses = 0;
  for (auto _ : state) {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      RayHits<width> ray = fresh[i];
      if constexpr (width == 1)
        rtcIntersect1(bvh.scene, &context, &ray);
      else
        rtcIntersect16(valid, bvh.scene, &context, &ray);
      for (int lane = 0; lane < width; ++lane) {
        if (reinterpret_cast<const unsigned*>(&ray.hit.geomID)[lane] == RTC_INVALID_GEOMETRY_ID) {
          misses += 1;
          continue;
        }
        error_m = std::max(error_m, std::abs(static_cast<double>(lanes(ray.ray.tfar)[lane]) -
                                             block.exact_m[i * width + static_cast<std::size_t>(lane)]));
      }
    }
  }
  count_rays(state, block.rays.size());
  state.counters["error_um"] = 1e6 * error_m;
  state.counters["misses"] = misses / static_cast<double>(state.iterations());
}

// The macro below takes no template.
constexpr auto* embree1 = embree<1>;
constexpr auto* embree16 = embree<16>;

// One iteration is a whole rig.
void render_ring12(benchmark::State& state, const char* name) {
  const Scene scene = make_scene(name, {});
  const Rig rig = make_rig("ring12", {}, 42);
  const Renderer renderer(field_of(scene), {}, 42);
  double seconds = 0, rays = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < rig.cameras.size(); ++i)
      benchmark::DoNotOptimize(renderer.image(rig.cameras[i], i));
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const Camera& camera : rig.cameras)
      rays += 4.0 * camera.intrinsics.width_px * camera.intrinsics.height_px;
  }
  state.counters["images_s"] = seconds / static_cast<double>(state.iterations());
  state.counters["rays/s"] = rays / seconds;
  state.counters["threads"] = thread_count();
}

BENCHMARK_CAPTURE(render_ring12, undulating, "undulating")
    ->Iterations(1)
    ->Unit(benchmark::kSecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(first_hit, undulating, "undulating", 1e-14, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(first_hit, undulating_100nm, "undulating", 1e-7, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(first_hit, undulating_cast_and_hit, "undulating", 1e-7, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(texture_at)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(embree1, 1mm, 1e-3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(embree16, 1mm, 1e-3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(embree16, 250um, 0.25e-3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace aqbench

BENCHMARK_MAIN();
