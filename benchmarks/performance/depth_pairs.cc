// Depth maps and images: the plane sweep beside LibTorch, refinement, the filter between cameras, the rays of
// the renderer beside Embree, a whole image.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "benchmarks/embree_rays.h"
#include "benchmarks/performance/pair.h"
#include "pipeline/depth_maps/depth_maps.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/plane_sweep/kernels/synthetic_scene.h"
#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/rendering/imaging.h"

namespace aqbench {
namespace {

namespace sweep = plane_sweep;

constexpr int kWidth = 640, kHeight = 480, kDepths = 64, kSources = 4;
constexpr double kPixels = double{kWidth} * kHeight;

// Operations of single precision, a fused multiply-add as two. Window: column sums 10, moving window 6,
// correlation 20. Winner: 10 a pixel and depth, shared by the sources.
constexpr double kWindowFlops = 36, kWinnerFlops = 10.0 / kSources, kBilinearFlops = 12;
// Two quartic polynomials a sample; in the refinement two parabolas, which are two polynomials in column and
// depth and their two derivatives, a pixel and source.
constexpr double kSweepFlops = 16 + kBilinearFlops + kWindowFlops + kWinnerFlops;
constexpr int kRefinedDepths = 16;
constexpr double kRefinementFlops =
    8 + kBilinearFlops + kWindowFlops + kWinnerFlops + 2 * (2 * 39 + 6) / double{kRefinedDepths};
constexpr double kProjectionFlops = 4 * 14 + 40;  // four Newton steps
constexpr double kCastFlops = 45, kDepthSampleFlops = 20;

sweep::SyntheticViews render(int width_px, int height_px) {
  return sweep::render_synthetic(
      {.width_px = width_px, .height_px = height_px, .sources = kSources, .noise = 0.005}, 0.17, 0.27);
}

const sweep::SyntheticViews& views() {
  static const sweep::SyntheticViews all = render(kWidth, kHeight);
  return all;
}

double image_bytes() { return kPixels * (4.0 * (kSources + 1) + 8); }

// Most pixels have the same depth; a tie of two hypotheses may fall to either side.
void require_same_depths(const std::vector<float>& a, const std::vector<float>& b) {
  std::size_t same = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    same += std::abs(a[i] - b[i]) < 1e-5F || (std::isnan(a[i]) && std::isnan(b[i])) ? 1 : 0;
  require(same > 0.99 * static_cast<double>(a.size()), "the depths differ");
}

void require_near_truth(const std::vector<float>& depth_m) {
  std::size_t near = 0;
  for (std::size_t i = 0; i < depth_m.size(); ++i)
    near += std::abs(depth_m[i] - views().true_depth_m[i]) < 1e-3F ? 1 : 0;
  require(near > 0.9 * kPixels, "the depths are wrong");
}

Pair sweep_pair() {
  const auto depth_m = std::make_shared<std::vector<float>>();
  return {[depth_m] { *depth_m = sweep::run(views().input, {.depths = kDepths}).depth_m; },
          {},
          [depth_m] { require_near_truth(*depth_m); },
          kPixels * kDepths * kSources * kSweepFlops,
          image_bytes()};
}

// A quarter of the pixels: the peer takes a hundred times as long.
Pair torch_sweep_pair() {
  struct Work {
    sweep::SyntheticViews views = render(kWidth / 2, kHeight / 2);
    sweep::Result ours, theirs;
  };
  const auto work = std::make_shared<Work>();
  return {[work] { work->ours = sweep::run(work->views.input, {.depths = kDepths}); },
          [work] {
            work->theirs = sweep::run(work->views.input,
                                      {.depths = kDepths, .kernel = sweep::Kernel::torch, .batch = 8});
          },
          [work] { require_same_depths(work->ours.depth_m, work->theirs.depth_m); },
          kPixels / 4 * kDepths * kSources * kSweepFlops, image_bytes() / 4};
}

Pair refinement_pair() {
  const auto depth_m = std::make_shared<std::vector<float>>();
  return {[depth_m] {
            *depth_m = sweep::refine_depth_map(views().input, {}, views().true_depth_m, 0.1 / 63 / 4).depth_m;
          },
          {},
          [depth_m] { require_near_truth(*depth_m); },
          kPixels * kRefinedDepths * kSources * kRefinementFlops,
          image_bytes()};
}

Pair filter_pair() {
  struct Work {
    std::vector<std::vector<float>> depth_m = std::vector<std::vector<float>>(kSources + 1);
    std::vector<float> confidence = std::vector<float>(std::size_t{kWidth} * kHeight, 1.0F);
    std::vector<sweep::DepthView> maps;
    sweep::FilteredDepth filtered;
  };
  const auto work = std::make_shared<Work>();
  const sweep::SyntheticScene scene{.width_px = kWidth, .height_px = kHeight, .sources = kSources};
  std::vector<float> image;
  for (std::size_t i = 0; i <= kSources; ++i) {
    const sweep::View& view = i == 0 ? views().input.reference : views().input.sources[i - 1];
    sweep::render_view(scene, view.camera, i, image, &work->depth_m[i]);
    work->maps.push_back({view.camera, work->depth_m[i], work->confidence});
  }
  const auto run = [work] { work->filtered = sweep::filter_by_consistency(work->maps, 0, {}); };
  run();
  double agreeing = 0;
  for (const int count : work->filtered.views) agreeing += count;
  return {run,
          {},
          [agreeing] { require(agreeing > 2.5 * kPixels, "true depths do not agree"); },
          kPixels * kCastFlops + agreeing * (kProjectionFlops + kDepthSampleFlops),
          kPixels * (4.0 * (kSources + 1) + 4 + 12)};
}

struct RayWork {
  Scene scene = make_scene("undulating", {});
  RayBlock block = make_block(scene);
  RayHitter hitter{field_of(scene), kMaxRayDepth_m, 1e-7};
  EmbreeScene bvh{scene.truth.surface->mesh(1e-3)};
  std::vector<RTCRayHit16> fresh = {};
  std::vector<double> ours, theirs;

  RayWork() : ours(block.rays.size()), theirs(block.rays.size()) {
    for (std::size_t i = 0; i < block.rays.size(); i += 16) fresh.push_back(packet<16>(block.rays, i));
  }

  void run_ours() {
    std::ranges::fill(ours, block.exact_m[0]);
    hitter.first_hits_m(block.rays, ours);
  }

  void run_theirs() {
    alignas(64) int valid[16];
    std::fill(std::begin(valid), std::end(valid), -1);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      RTCRayHit16 ray = fresh[i];
      rtcIntersect16(valid, bvh.scene, &context, &ray);
      for (std::size_t lane = 0; lane < 16; ++lane) theirs[16 * i + lane] = double{ray.ray.tfar[lane]};
    }
  }

  void check() const {
    std::size_t differing = 0;  // a ray may slip between two triangles
    for (std::size_t i = 0; i < ours.size(); ++i) differing += std::abs(ours[i] - theirs[i]) < 50e-6 ? 0 : 1;
    require(differing * 1000 < ours.size(), "the depths of the rays differ");
  }
};

Pair ray_pair() {
  const auto work = std::make_shared<RayWork>();
  return {[work] { work->run_ours(); }, [work] { work->run_theirs(); }, [work] { work->check(); }};
}

Pair image_pair() {
  struct Work {
    Scene scene = make_scene("undulating", {});
    Camera camera = *find_camera(make_rig("ring12", {}, 42), "centre");
    Renderer renderer{field_of(scene), {}, 42};
    RenderedImage image;
  };
  const auto work = std::make_shared<Work>();
  return {[work] { work->image = work->renderer.image(work->camera, 0); }, {}};
}

}  // namespace

void add_depth_pairs() {
  add_pair({"plane_sweep", "640 x 480 px, 64 depths, 4 sources", "", ""}, sweep_pair);
  add_pair({"plane_sweep_beside_libtorch", "320 x 240 px, 64 depths, 4 sources",
            "this project's sweep in LibTorch operators, batches of 8 depths",
            "the peer holds cost volumes and projects exactly, as AquaMVS does; same depths"},
           torch_sweep_pair);
  add_pair({"depth_refinement", "640 x 480 px, 16 depths, 4 sources", "", ""}, refinement_pair);
  add_pair({"consistency_filter", "640 x 480 px, 5 cameras", "", ""}, filter_pair);
  add_pair({"image_rendering", "1600 x 1200 px, 4 rays a pixel", "", ""}, image_pair);
  add_pair({"ray_hits", "163 840 refracted rays", "Embree rtcIntersect16, 300 k triangles",
            "ours finds the surface to 100 nm; the peer's mesh in single precision lies up to 10 um off"},
           ray_pair);
}

}  // namespace aqbench
