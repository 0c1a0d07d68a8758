// The plane sweep's kernels on a synthetic view of a textured plane under water, rendered through the exact
// model.
//   build/release/plane_sweep_benchmark
// Counters:
//   Mpx.depth.view/s  samples (pixels x depths x sources) in the fastest run
//   roofline          share of the measured fused multiply-add peak of that many threads, by the count of
//                     operations in kFlopsPerSample; fused zncc only
//   error_mm          median absolute depth error against the truth

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "benchmarks/machine_limits.h"
#include "core/error.h"
#include "core/parallel.h"
#include "core/text.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/plane_sweep/kernels/row_scorer.h"
#include "pipeline/plane_sweep/kernels/synthetic_scene.h"
#include "pipeline/plane_sweep/kernels/tile.h"
#include "pipeline/plane_sweep/kernels/winner.h"

namespace aqbench::plane_sweep {
namespace {

// Fused multiply-adds count as two. Sampling: two quartic polynomials 16, fractions 2, bilinear 10. Window:
// column sums 10, moving window 6, correlation 20. Winner: 10 a pixel and depth, shared by four sources.
constexpr double kFlopsPerSample = 28 + 36 + 2.5;

double peak_flops_of(int threads) {
  static std::map<int, double> peaks;
  set_thread_count(threads);
  double& peak = peaks[threads];
  return peak > 0 ? peak : peak = peak_flops();
}

struct Size {
  int width_px = 640, height_px = 480, depths = 64, sources = 4;
  bool operator<(const Size& other) const {
    return std::tie(width_px, height_px, sources) < std::tie(other.width_px, other.height_px, other.sources);
  }
};

const SyntheticViews& scene_of(const Size& size) {
  static std::map<Size, SyntheticViews> scenes;
  auto& views = scenes[size];
  if (!views.images.empty()) return views;
  const SyntheticScene scene{
      .width_px = size.width_px, .height_px = size.height_px, .sources = size.sources, .noise = 0.005};
  set_thread_count(available_processors());
  views = render_synthetic(scene, 0.17, 0.27);
  return views;
}

double median_error_mm(const Result& result, const std::vector<float>& truth_m) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < truth_m.size(); ++i)
    if (!std::isnan(result.depth_m[i])) errors.push_back(1e3 * std::abs(result.depth_m[i] - truth_m[i]));
  if (errors.empty()) return std::nan("");
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return *middle;
}

void sweep(benchmark::State& state, const Size& size, const Options& options, int threads) {
  const SyntheticViews& views = scene_of(size);
  set_thread_count(threads);
  Result result;
  double fastest_s = std::numeric_limits<double>::infinity();
  try {
    for (auto _ : state) {
      result = {};
      const auto start = std::chrono::steady_clock::now();
      result = run(views.input, options);
      fastest_s = std::min(fastest_s,
                           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  } catch (const Error& error) {
    state.SkipWithError(error.what());
    return;
  }
  const double pixels = static_cast<double>(size.width_px) * size.height_px;
  const double samples_per_s = pixels * options.depths * size.sources / fastest_s;
  state.counters["Mpx.depth.view/s"] = samples_per_s / 1e6;
  if (options.kernel == Kernel::fused && options.cost == CostFunction::zncc)
    state.counters["roofline"] = samples_per_s * kFlopsPerSample / peak_flops_of(threads);
  state.counters["error_mm"] = median_error_mm(result, views.true_depth_m);
}

void add(const std::string& name, const Size& size, const Options& options, int threads) {
  benchmark::RegisterBenchmark((name + "/threads:" + std::to_string(threads)).c_str(),
                               [=](benchmark::State& state) { sweep(state, size, options, threads); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

std::string text(int number) { return std::to_string(number); }

void add_sweeps() {
  const Size usual;
  for (const int threads : {1, 2}) {
    for (const CostFunction cost : {CostFunction::zncc, CostFunction::ncc_reference, CostFunction::ssim})
      add("fused/" + std::string(to_string(cost)), usual, {.depths = usual.depths, .cost = cost}, threads);
    for (const int batch : {1, 8, 16})
      add("torch/batch:" + text(batch), usual,
          {.depths = usual.depths, .kernel = Kernel::torch, .batch = batch}, threads);
  }
  // Time per sample is constant as each size grows.
  for (const auto& [width, height] : {std::pair{320, 240}, {640, 480}, {1280, 960}})
    add("linear/pixels:" + text(width) + "x" + text(height), {width, height, 64, 4}, {.depths = 64}, 1);
  for (const int depths : {16, 32, 64, 128, 256})
    add("linear/depths:" + text(depths), usual, {.depths = depths}, 1);
  for (const int sources : {1, 2, 4, 8})
    add("linear/sources:" + text(sources), {640, 480, 64, sources}, {.depths = 64}, 1);
  for (const int window : {5, 11, 21})
    add("linear/window:" + text(window), usual, {.depths = 64, .window_px = window}, 1);
  add("large/1600x1200x128x4", {1600, 1200, 128, 4}, {.depths = 128}, 2);
}

// The steps of the fused kernel alone, on a tile of the usual view whose data stay in the caches. An item is
// sixteen depths of a pixel (and source); the warp is that of a source that every sample lies in.
void warp_step(benchmark::State& state) {
  const SyntheticViews& views = scene_of({});
  set_thread_count(1);
  const PackedSource source = pack_source(views.input.sources[0].image);
  const std::vector<float> depths = depth_hypotheses(0.17, 0.27, 64);
  std::array<float, kLanes> block;
  std::copy_n(depths.begin(), kLanes, block.begin());
  TileSampler sampler;
  for (const Tile& tile : make_tiles(640, 480, 96, 5)) {
    sampler.start_tile(views.input.reference.camera, tile);
    sampler.start_block(views.input.sources[0].camera, source, block);
    if (sampler.coverage() != Coverage::inside) continue;
    LaneBuffer row;
    row.reserve(static_cast<std::size_t>(tile.columns()));
    std::int64_t pixels = 0;
    for (auto _ : state)
      for (int y = tile.input.y_begin; y < tile.input.y_end; ++y, pixels += tile.columns()) {
        sampler.sample_row(y, row.data(), nullptr);
        benchmark::DoNotOptimize(row.data());
      }
    state.SetItemsProcessed(pixels);
    return;
  }
  state.SkipWithError("no tile is completely inside the source");
}

void zncc_step(benchmark::State& state) {
  constexpr int kColumns = 106, kHalf = 5;
  LaneBuffer entering, leaving, sums, missing, scores;
  for (LaneBuffer* buffer : {&entering, &leaving, &sums, &missing, &scores}) {
    buffer->reserve(static_cast<std::size_t>(kColumns + kHalf + 1) * kSampleSums);
    std::fill_n(buffer->data(), buffer->size(), Lanes{});
  }
  const std::vector<float> reference(kColumns, 0.1F), one(kColumns, 1.0F);
  ZnccRow row{};
  row.columns = kColumns;
  row.first_output = row.half_window = kHalf;
  row.outputs = kColumns - 2 * kHalf;
  row.entering = entering.data();
  row.leaving = leaving.data();
  row.entering_reference = row.leaving_reference = reference.data();
  row.sample_sums = sums.data();
  row.missing_sums = missing.data();
  row.count = row.inverse_count = row.sum = row.square_sum = row.gain = one.data();
  row.noise_reference = row.noise_samples = 1;
  row.scores = scores.data();
  for (auto _ : state) {
    add_zncc_row_without_gaps(row);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * row.outputs);
}

void winner_step(benchmark::State& state) {
  constexpr std::ptrdiff_t kPixels = 96;
  LaneBuffer scores;
  scores.reserve(kPixels);
  std::fill_n(scores.data(), kPixels, Lanes{});
  std::vector<float> fields(static_cast<std::size_t>(kWinnerFields) * kPixels);
  const WinnerRow row = winner_row_at(fields.data(), kPixels);
  for (auto _ : state) {
    feed_winner_row(scores.data(), 0.25F, kPixels, 0, kLanes, row, nullptr, 0);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kPixels);
}

}  // namespace
}  // namespace aqbench::plane_sweep

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  aqbench::plane_sweep::add_sweeps();
  benchmark::RegisterBenchmark("step/warp", aqbench::plane_sweep::warp_step);
  benchmark::RegisterBenchmark("step/zncc", aqbench::plane_sweep::zncc_step);
  benchmark::RegisterBenchmark("step/winner", aqbench::plane_sweep::winner_step);
  return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 1;
}
