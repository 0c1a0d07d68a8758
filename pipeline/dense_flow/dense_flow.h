#pragma once
// The method dense_flow: dense inverse search flow between neighbouring cameras, triangulated by refracted
// rays; and torchscript, with any matcher saved with torch.jit in its place. Their parameters, presets and
// stages (dense_flow_spec.cc) are part of the program.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/depth_maps/depth_maps.h"
#include "pipeline/fusion/fusion.h"
#include "pipeline/method/method.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/views/dataset_views.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench::dense_flow {

// Mean and standard deviation of the square window around each pixel, row-major; the variance of
// rounding to 8 bits is added before the root: a window without texture then gives values near 0 instead of
// noise.
struct LocalMoments {
  std::vector<float> mean, deviation;
};

// Computes mean and standard deviation. Single-threaded.
LocalMoments local_moments(const plane_sweep::GreyImage& image, int window_px);

// Returns (grey - mean) / deviation, row-major. Single-threaded.
std::vector<float> normalise_locally(const plane_sweep::GreyImage& image, int window_px);

// The rays of one row's pixels (or any others): world frame. NaN for pixels without a ray.
struct RayRow {
  std::vector<float> origin_x_m, origin_y_m, origin_z_m, direction_x, direction_y, direction_z;

  explicit RayRow(std::size_t count) {
    for (auto* values : {&origin_x_m, &origin_y_m, &origin_z_m, &direction_x, &direction_y, &direction_z})
      values->resize(count);
  }
  // Casts the rays of the pixels (u_px[i], v_px[i]) into `row`, whose size must match.
  void cast(const RefractiveCamera& camera, std::span<const float> u_px, std::span<const float> v_px);
};

// Calls `body` once for each row of the camera's image. Uses parallel_for.
void for_each_ray_row(const RefractiveCamera& camera,
                      const std::function<void(std::size_t row, const RayRow& rays)>& body);

// The position of each pixel of image a in image b; row-major, of a's size.
struct PairWarp {
  std::vector<float> x_px, y_px;  // NaN = no match
  std::vector<float> confidence;  // 0 to 1
};

// A dense matcher. Both images have one size, values 0 to 1.
struct PairMatcher {
  std::function<PairWarp(const plane_sweep::GreyImage& a, const plane_sweep::GreyImage& b)> match;
  bool several_threads = true;  // match may be called from several threads at once
};

// Options of the flow.
struct FlowOptions {
  int finest_scale = 0;  // the flow is found down to images of 1 / 2^scale and interpolated from there
  // Whether depths are refined in the images: then the flow is found in images of less than 1280 px.
  bool is_refined = false;
  int variational_iterations = 5;
  int normalisation_window_px = 21;  // grey values are centred and scaled over this before
  double forward_backward_tolerance_px = 1.0;
};

// Makes a matcher that runs dense inverse search (Kroeger et al., "Fast optical flow using dense inverse
// search", ECCV 2016; OpenCV) forwards and backwards, and drops matches whose forward-backward difference
// exceeds the tolerance.
PairMatcher flow_matcher(const FlowOptions& options);

// A source warped to the reference as if each reference pixel lay at `depth_m`.
struct AlignedSource {
  std::vector<float> grey;        // the reference's own grey where the source does not see the place
  std::vector<float> x_px, y_px;  // where it was sampled
  std::vector<std::uint8_t> seen;
};

// Warps a source to the reference. depth_m: [y][x] along the reference's refracted rays; NaN = not seen. Uses
// parallel_for.
AlignedSource align_source(const DatasetView& reference, const DatasetView& source,
                           std::span<const float> depth_m);

// Returns the depths at which the reference's rays meet the plane z = z_m. Uses parallel_for.
std::vector<float> plane_depths(const RefractiveCamera& camera, double z_m);

// Changes a warp to the aligned source into one to the source itself; NaN where the source does not see it.
void through_alignment(const AlignedSource& aligned, int width_px, int height_px, PairWarp& warp);

// When a depth is accepted.
struct TriangulationOptions {
  int min_pairs = 2;             // sources that must agree
  double max_residual_px = 1.5;  // a source agrees if its ray passes this close to the point
  double min_angle_deg = 2;      // between rays, in water, of all agreeing sources together
};

// A depth map and its confidence.
struct DepthEstimate {
  std::vector<float> depth_m;     // [y][x], along the refracted ray; NaN = none
  std::vector<float> confidence;  // 0 to 1; 0 where there is none
};

// Triangulates each pixel. Each source ray gives the depth where the reference ray passes it most closely.
// Sources near the weighted median of these (weight: squared sine of the angle between the rays) agree; the
// point is their least-squares point on the reference ray. Confidence is the share of matching sources that
// agree, times their mean matching confidence, over 1 + (rms residual / 0.5 px)^2. `warps` maps to the
// sources' own pixels (through_alignment). Uses parallel_for.
DepthEstimate triangulate_matches(const DatasetView& reference, std::span<const DatasetView* const> sources,
                                  std::span<const PairWarp> warps, const TriangulationOptions& options);

// Returns the Gaussian mean of existing depths, weighted by confidence; `fallback_m` if there is none within
// 3 sigma.
std::vector<float> smooth_depths(const DepthEstimate& estimate, int width_px, int height_px, double sigma_px,
                                 std::span<const float> fallback_m);

// How depths are refined.
struct RefinementOptions {
  int iterations = 6;
  int window_px = 7;               // odd
  double smoothing_px = 1.5;       // sigma of the depths that warp the sources
  double least_correlation = 0.4;  // of a source's window with the reference's; below it does not count
};

// Refines the depth of each pixel by Gauss-Newton: warps the sources by the smoothed depths, so that slopes
// are followed, and steps along the ray to minimise the differences of locally normalised grey values over
// the window, over all sources together (Lucas and Kanade 1981, in one unknown). A step is limited to one
// pixel of the widest source. Confidence becomes the mean correlation of the windows times the share of
// sources that count; pixels without a counting source lose their depth. Uses parallel_for.
void refine_depths(const DatasetView& reference, std::span<const DatasetView* const> sources,
                   std::span<const float> fallback_m, const RefinementOptions& options,
                   DepthEstimate& estimate);

// The best plane.
struct PlaneSearch {
  double z_m = 0;     // world frame
  double score = 0;   // mean correlation of the windows there, -1 to 1
  double second = 0;  // median over all planes, the level of chance
};

// Finds the plane. Compares up to four references with their two nearest sources, at about 160 px width, on
// planes from 1 cm to 2 m below the water, spaced below one pixel of parallax, and refines by a parabola.
// Throws Error(method) "STAGE: ..." if no plane is clearly better than the others. Uses parallel_for.
PlaneSearch find_mean_plane(std::span<const DatasetView> views);

// Returns for each view its depths [y][x], empty for an auxiliary one: under level water those of the plane
// on which the images agree best, without water those between the sparse points that the
// view sees, in inverse depth, and where it is sure those of a coarse plane sweep. Throws Error(method)
// "STAGE: ..." if there is no such plane or no such point.
std::vector<std::vector<float>> depth_priors(std::span<const DatasetView> views);

// How matches become depths, cloud and surface.
struct DenseOptions {
  int nearest_sources = 4;  // ring neighbours of each reference, besides every auxiliary camera
  bool align = true;  // warp sources to the reference before matching; false: match the images as they are
  int passes = 1;     // of matching; each but the first warps the sources by the depths found before
  TriangulationOptions triangulation;
  RefinementOptions refinement;
  plane_sweep::ConsistencyOptions consistency;
  FusionOptions fusion;
  SurfaceOptions surface;
};

// Computes the consistency-filtered depth maps of all non-auxiliary cameras, their fused cloud, and the
// surface if requested. Independent of the thread count if the matcher is. Opens the stages depth_range,
// dense_matching, triangulation, depth_refinement, filtering, fusion and surface_reconstruction. Throws
// Error(input) for fewer than two cameras or images below 32 px, Error(method) "STAGE: ..." if a stage ends
// without a result.
Reconstruction reconstruct_densely(std::vector<DatasetView> views, const PairMatcher& matcher,
                                   const DenseOptions& options);

// Returns the parameters of all steps after matching, shared by methods with another matcher.
std::vector<ParameterSpec> dense_parameters();

// Returns the stages of a method that turns matches into depths like dense_flow, outermost first.
std::vector<std::string> dense_stages();

// Returns the parameters and presets (balanced, fast, quality) of dense_flow.
std::vector<ParameterSpec> parameters();
std::vector<Preset> presets();

// Returns the parameters and stages of torchscript.
std::vector<ParameterSpec> torchscript_parameters();
std::vector<std::string> torchscript_stages();

// Returns the options set by dense_parameters(). Throws Error(usage) for an even refine_window_px.
DenseOptions dense_options(const Parameters& parameters);

// Runs dense_flow on a dataset. Throws like dense_options(), read_dataset_views() and reconstruct_densely().
Reconstruction run(const Observation& observation, const MethodInput& input);

// Makes the matcher of a model saved with torch.jit:
//
//   forward(image_a: Tensor, image_b: Tensor) -> Tuple[Tensor, Tensor]
//
// image_a [1, 1, H, W] and image_b [1, 1, H', W'] are float32 grey values, 0 to 1. The first result, warp [H,
// W, 2], holds x and y in px of each pixel of image_a in image_b (pixel centres at integers, (0, 0) the top
// left one), NaN for nowhere; the second, confidence [H, W], 0 to 1. Both of a floating type, on any device.
// image_b has image_a's size and is warped to it through the mean plane, unless the parameter for warping is
// `none`. Drops matches below min_confidence. Throws Error(input) "FILE: ..." if the file is missing or not a
// TorchScript module, Error(usage) for an unavailable device. Matching throws Error(method) "FILE: ..." if
// forward fails or returns anything else than the above. Not thread-safe: LibTorch uses thread_count()
// threads of its own.
PairMatcher torchscript_matcher(const std::filesystem::path& file, const std::string& device,
                                double min_confidence);

// What torchscript asks of LibTorch, in the module `torch` (core/module.h): torchscript_matcher().
struct TorchscriptTable {
  PairMatcher (*matcher)(const std::filesystem::path& file, const std::string& device, double min_confidence);
};

// Runs torchscript on a dataset. Throws like run() and torchscript_matcher().
Reconstruction run_torchscript(const Observation& observation, const MethodInput& input);

}  // namespace aqbench::dense_flow
