#pragma once
// Sparse reconstruction with straight or refracted rays: keypoints, matches, tracks, points, and the depths
// at which each view sees these; and the method `sparse`, whose parameters, presets and stages
// (sparse_spec.cc) are part of the program.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/method/method.h"
#include "pipeline/views/dataset_views.h"

namespace aqbench::sparse {

// The number and selection of keypoints.
struct FeatureOptions {
  int keypoints = 2048;              // per image, at most; the strongest
  double contrast_threshold = 0.01;  // of SIFT's extrema in OpenCV's scale; grey units
  double edge_threshold = 10;        // ratio of principal curvatures beyond which an extremum is an edge
};

// The length of a descriptor.
inline constexpr int kDescriptorSize = 128;

// The norm of every descriptor; scalar products then fit into 32 bits.
inline constexpr int kDescriptorNorm = 8192;

// The keypoints of one image with their descriptors.
struct Features {
  std::vector<Vec2> pixels;               // of the undistorted image, strongest first
  std::vector<std::int16_t> descriptors;  // [keypoint][kDescriptorSize], of length kDescriptorNorm

  std::size_t size() const { return pixels.size(); }
  std::span<const std::int16_t> descriptor(std::size_t keypoint) const {
    return std::span(descriptors).subspan(keypoint * kDescriptorSize, kDescriptorSize);
  }
};

// Detects keypoints by SIFT (Lowe 2004, OpenCV) with square roots of the normalised histograms as descriptors
// (RootSIFT, Arandjelovic and Zisserman 2012). Removes the 1/4 px offset that OpenCV's SIFT gets from
// doubling the image. Drops keypoints outside the camera's own image and, without water, those wider than an
// eighth of it. Searches all images but the first only for keypoints about as strong as those kept in the
// first, if there are enough. Each thread has an image of its own if the pyramids of so many fit into 1 GiB;
// otherwise OpenCV uses all threads for one. The result is the same for any number of threads.
std::vector<Features> detect_features(std::span<const DatasetView> views, const FeatureOptions& options);

// A pair of keypoints.
struct Match {
  std::uint32_t first = 0, second = 0;  // keypoints of the two images
  float ratio = 0;  // distance to the best over distance to the second best, the worse way
};

// Returns the mutual nearest neighbours, by the Euclidean distance of the descriptors, that pass the ratio
// test in both directions (Lowe 2004), in the order of `first`. Distances are exact integers, so no result
// depends on the instruction set. Uses parallel_for.
std::vector<Match> match_features(const Features& first, const Features& second, double max_ratio);

// Returns the matches whose refracted rays nearly intersect: the point nearest to both rays, projected into
// both images, lies within max_error_px of both keypoints.
std::vector<Match> epipolar_matches(const std::vector<Match>& matches, const Features& first,
                                    const RefractiveCamera& first_camera, const Features& second,
                                    const RefractiveCamera& second_camera, double max_error_px);

// The matches of two views.
struct PairMatches {
  std::uint32_t first_view = 0, second_view = 0;
  std::vector<Match> matches;
};

// A keypoint of a view.
struct Sighting {
  std::uint32_t view = 0, keypoint = 0;

  friend auto operator<=>(const Sighting&, const Sighting&) = default;
};

// The keypoints of one point, in the order of views, at most one per view.
using Track = std::vector<Sighting>;

// Joins matches, the most distinctive one (smallest ratio) first. Skips a match that would put two keypoints
// of one view into a track. Tracks are in the order of their first sighting, and are the same for any order
// of `pairs`.
std::vector<Track> build_tracks(std::span<const PairMatches> pairs, std::span<const Features> features);

// Options of the sparse reconstruction.
struct Options {
  FeatureOptions features;
  int sources = 4;             // nearest other cameras that a view is matched with, auxiliary ones besides
  double max_ratio = 0.8;      // of the ratio test
  double epipolar_px = 2.0;    // of two keypoints' refracted rays
  double min_angle_deg = 2.0;  // between two of a point's rays, at least: bounds the depth by the parallax
  double max_reprojection_px = 3;  // of every sighting of a point
  double max_depth_m = 0;          // below the water surface, or along the ray without water; 0: no limit
};

// A triangulated point and its keypoints.
struct SparsePoint {
  Vec3 point_m;  // world frame
  double reprojection_rms_px = 0;
  Track sightings;  // those that agree with the point; two or more
};

// What became of the tracks of a reconstruction.
struct TrackCounts {
  std::size_t keypoints = 0, tracks = 0;
  std::size_t points = 0;
  std::size_t disagree = 0;     // no two sightings agree on a place in front of their cameras
  std::size_t narrow = 0;       // the angle between the rays is at most min_angle_deg
  std::size_t unconfirmed = 0;  // without water: no third camera agrees closely
  std::size_t too_deep = 0;     // farther than max_depth_m
};

// Returns "N keypoints, N tracks of two or more cameras, N points; dropped: ...".
std::string describe(const TrackCounts& counts, const Options& options);

// Reconstructs sparse points, possibly none, in the order of their tracks. Opens the stages sparse_matching
// and triangulation. The result is the same for any thread count. Throws Error(method) for fewer than two
// views.
std::vector<SparsePoint> reconstruct(std::span<const DatasetView> views, const Options& options,
                                     TrackCounts* counts = nullptr);

// Triangulates a track by least squares over its rays. While a sighting is off by max_reprojection_px or more
// and two others remain, drops the worst one. Returns nullopt and adds to the counts if the angle between the
// rays is too small, the point is deeper than max_depth_m, or no two sightings agree on a place below the
// water and in front of their cameras.
std::optional<SparsePoint> triangulate_track(const Track& track, std::span<const DatasetView> views,
                                             std::span<const Features> features, const Options& options,
                                             TrackCounts* counts = nullptr);

// Returns sqrt(a b) with a = 1 - rms / max_reprojection_px and b = 1 - 1 / views: higher for more views and
// for a smaller residual.
float confidence(const SparsePoint& point, const Options& options);

// Returns the positions of the points, in their order.
std::vector<Vec3> positions(std::span<const SparsePoint> points);

// Depths in metres along the ray, from its origin.
struct DepthRange {
  double min_m = 0, max_m = 0;
};

// The fewest visible points for a range of a view's own.
inline constexpr std::size_t kMinDepthPoints = 8;

// Returns for each view the depth range of the points in its image: from the 2nd to the 98th percentile,
// widened at both ends by 0.05 m, or by a tenth of the depth without water, at least 0; nullopt for a view
// that sees fewer than kMinDepthPoints points.
std::vector<std::optional<DepthRange>> depth_ranges(std::span<const Vec3> points_m,
                                                    std::span<const DatasetView> views);

// Does the same with what is known of the points' sightings: without water, where cameras may stand around an
// object, a view counts only its own sightings if there are kMinDepthPoints.
std::vector<std::optional<DepthRange>> sighted_depth_ranges(std::span<const SparsePoint> points,
                                                            std::span<const DatasetView> views);

// Returns these ranges, with that of all views together for a view without one; none if no view has one.
std::vector<DepthRange> filled_ranges(std::span<const std::optional<DepthRange>> ranges);

// Returns the options set by the parameters of sparse.h with this `prefix`.
Options options_from(const Parameters& parameters, const std::string& prefix = "");

// Returns the view options set by clahe, clahe_clip_limit and clahe_tiles.
DatasetViewOptions view_options_from(const Parameters& parameters);

// Runs the method. The cloud has confidences and no normals. Throws Error(method) if no point is found, and
// the errors of read_dataset_views() and reconstruct().
Reconstruction run(const Observation& observation, const MethodInput& input);

// Returns the parameters of the sparse cloud, each name with this `prefix` ("sparse_" for a method that
// computes a sparse cloud first).
std::vector<ParameterSpec> parameters(const std::string& prefix = "");

// Returns clahe, clahe_clip_limit and clahe_tiles: for every method that reads images.
std::vector<ParameterSpec> view_parameters();

// Returns parameters() and view_parameters() together, for the method `sparse` itself.
std::vector<ParameterSpec> method_parameters();

// Returns balanced, fast and quality.
std::vector<Preset> presets();

// Returns the names of the stages that a run opens, outermost first.
std::vector<std::string> stages();

}  // namespace aqbench::sparse
