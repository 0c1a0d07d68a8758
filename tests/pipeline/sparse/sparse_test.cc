#include "pipeline/sparse/sparse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "core/random.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"
#include "tests/pipeline/orbit_scene.h"
#include "tests/pipeline/synthetic_views.h"
#include "tests/temporary_directory.h"

namespace aqbench::sparse {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

double draw(std::uint64_t index) { return uniform01({7, RandomStream::point_noise}, index); }

// Points of a plane 0.2 m below the water, where all cameras see them.
std::vector<Vec3> plane_points(std::size_t count) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i)
    points.emplace_back(0.3 * draw(3 * i) - 0.15, 0.2 * draw(3 * i + 1) - 0.1,
                        1.178 + 0.01 * draw(3 * i + 2));
  return points;
}

// Keypoints where the points are imaged; keypoint i of every view is point i.
std::vector<Features> exact_features(std::span<const DatasetView> views, std::span<const Vec3> points) {
  std::vector<Features> features(views.size());
  for (std::size_t v = 0; v < views.size(); ++v)
    for (const Vec3& point : points) features[v].pixels.push_back(project(views[v].camera, point)->pixel);
  return features;
}

Track track_of(std::uint32_t keypoint, std::uint32_t views) {
  Track track;
  for (std::uint32_t view = 0; view < views; ++view) track.push_back({view, keypoint});
  return track;
}

TEST(TriangulateTrack, FindsThePointThroughTheWater) {
  const auto views = blank_views(make_rig("ring12", {}, 1));
  const auto points = plane_points(20);
  const auto features = exact_features(views, points);
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const auto found = triangulate_track(track_of(i, 13), views, features, {});
    ASSERT_TRUE(found);
    EXPECT_LT((found->point_m - points[i]).norm(), 1e-9);
    EXPECT_LT(found->reprojection_rms_px, 1e-5);
    EXPECT_THAT(found->sightings, SizeIs(13));
    EXPECT_NEAR(confidence(*found, {}), std::sqrt(12.0 / 13), 1e-5);
  }
}

TEST(TriangulateTrack, LeavesWrongSightingsOut) {
  const auto views = blank_views(make_rig("ring12", {}, 1));
  const auto points = plane_points(1);
  auto features = exact_features(views, points);
  features[4].pixels[0] += Vec2(40, -25);
  features[9].pixels[0] += Vec2(-30, 10);
  const auto found = triangulate_track(track_of(0, 13), views, features, {});
  ASSERT_TRUE(found);
  EXPECT_THAT(found->sightings, SizeIs(11));
  EXPECT_LT((found->point_m - points[0]).norm(), 1e-9);
  for (const Sighting& sighting : found->sightings) EXPECT_TRUE(sighting.view != 4 && sighting.view != 9);
}

TEST(TriangulateTrack, RejectsWhatIsNoPoint) {
  const auto views = blank_views(make_rig("ring12", {}, 1));
  Options options;
  const auto reject = [&](const Vec3& point, const Options& how, std::uint32_t count) {
    const std::vector<Vec3> points = {point};
    return !triangulate_track(track_of(0, count), views, exact_features(views, points), how);
  };
  const Vec3 good(0.01, 0.02, 1.2);
  EXPECT_FALSE(reject(good, options, 2));
  EXPECT_TRUE(reject(good, options, 1));
  options.max_depth_m = 0.2;  // it lies 0.222 m below the water
  EXPECT_TRUE(reject(good, options, 13));
  options = {};
  options.min_angle_deg = 60;
  EXPECT_TRUE(reject(good, options, 2)) << "neighbours see it 14 degrees apart in air, less in water";
  // What lies above the water is seen along straight lines, and is no point in it.
  const Rig rig = make_rig("ring12", {}, 1);
  std::vector<Features> features(2);
  for (std::size_t v = 0; v < 2; ++v) {
    const Camera& camera = rig.cameras[v];
    const Vec3 seen = camera.intrinsics.K * (camera.camera_from_world.rotation * Vec3(0, 0, 0.7) +
                                             camera.camera_from_world.translation_m);
    features[v].pixels.emplace_back(seen.hnormalized());
  }
  EXPECT_FALSE(triangulate_track(track_of(0, 2), views, features, {}));
}

TEST(EpipolarMatches, KeepsWhatCanBeOnePoint) {
  const auto views = blank_views(make_rig("ring12", {}, 1));
  const auto points = plane_points(30);
  const auto features = exact_features(views, points);
  std::vector<Match> matches;
  for (std::uint32_t i = 0; i < 30; ++i) matches.push_back({i, i, 0.5F});
  for (std::uint32_t i = 0; i < 29; ++i) matches.push_back({i, i + 1, 0.5F});
  const auto kept =
      epipolar_matches(matches, features[0], views[0].camera, features[1], views[1].camera, 0.5);
  std::size_t right = 0;
  for (const Match& match : kept) right += match.first == match.second ? 1 : 0;
  EXPECT_EQ(right, 30U);
  EXPECT_LE(kept.size(), 33U) << "few wrong ones lie by chance on the curve";
}

Features random_features(std::size_t count, std::uint64_t seed) {
  Features features;
  for (std::size_t i = 0; i < count; ++i) {
    features.pixels.emplace_back(static_cast<double>(i), 0);
    std::vector<double> values;
    double squares = 0;
    for (int k = 0; k < kDescriptorSize; ++k) {
      values.push_back(
          uniform01({seed, RandomStream::point_noise}, i * kDescriptorSize + static_cast<std::size_t>(k)));
      squares += values.back() * values.back();
    }
    for (const double value : values)
      features.descriptors.push_back(
          static_cast<std::int16_t>(std::lround(kDescriptorNorm * value / std::sqrt(squares))));
  }
  return features;
}

Features reversed(const Features& features) {
  Features out;
  for (std::size_t i = features.size(); i-- > 0;) {
    out.pixels.push_back(features.pixels[i]);
    const auto descriptor = features.descriptor(i);
    out.descriptors.insert(out.descriptors.end(), descriptor.begin(), descriptor.end());
  }
  return out;
}

TEST(MatchFeatures, FindsTheSameDescriptorsAndNoOthers) {
  const Features first = random_features(200, 1);
  const auto matches = match_features(first, reversed(first), 0.8);
  ASSERT_THAT(matches, SizeIs(200));
  for (const Match& match : matches) EXPECT_EQ(match.first + match.second, 199U);
  EXPECT_THAT(match_features(first, random_features(200, 2), 0.8), SizeIs(0))
      << "noise has no distinct neighbour";
  EXPECT_THAT(match_features(first, Features{}, 0.8), SizeIs(0));
  EXPECT_THAT(match_features(Features{}, first, 0.8), SizeIs(0));
}

TEST(MatchFeatures, TwoEqualCandidatesAreNoMatch) {
  const Features first = random_features(3, 1);
  Features second = first;
  second.pixels.push_back(first.pixels[1]);
  const auto twin = first.descriptor(1);
  second.descriptors.insert(second.descriptors.end(), twin.begin(), twin.end());
  const auto matches = match_features(first, second, 0.8);
  ASSERT_THAT(matches, SizeIs(2));
  EXPECT_EQ(matches[0].first, 0U);
  EXPECT_EQ(matches[1].first, 2U);
}

// Numbers of candidates that do not fill whole vectors, and best ones at any place of them.
TEST(MatchFeatures, FindsTheNearestAmongAnyNumberOfCandidates) {
  const Features all = random_features(50, 3);
  for (const std::size_t count : {1, 2, 15, 16, 17, 33, 50}) {
    Features second;
    second.pixels.assign(all.pixels.begin(), all.pixels.begin() + static_cast<std::ptrdiff_t>(count));
    second.descriptors.assign(all.descriptors.begin(),
                              all.descriptors.begin() + static_cast<std::ptrdiff_t>(count * kDescriptorSize));
    const auto matches = match_features(all, second, 0.8);
    ASSERT_THAT(matches, SizeIs(count == 1 ? 0 : count)) << "one candidate has no second best";
    for (const Match& match : matches) EXPECT_EQ(match.first, match.second);
  }
}

TEST(BuildTracks, JoinsMatchesAndKeepsOneKeypointOfAView) {
  const std::vector<Features> features = {random_features(3, 1), random_features(3, 2),
                                          random_features(3, 3)};
  std::vector<PairMatches> pairs = {
      {0, 1, {{0, 0, 0.5F}, {1, 1, 0.5F}}},
      {1, 2, {{0, 0, 0.5F}, {1, 1, 0.3F}}},
      // Would join track 0 to track 1 through a second keypoint of views 0 and 1.
      {0, 2, {{0, 1, 0.7F}, {2, 2, 0.5F}}}};
  const std::vector<Track> tracks = build_tracks(pairs, features);
  const std::vector<Track> expected = {{{0, 0}, {1, 0}, {2, 0}}, {{0, 1}, {1, 1}, {2, 1}}, {{0, 2}, {2, 2}}};
  EXPECT_EQ(tracks, expected);
  std::ranges::reverse(pairs);
  EXPECT_EQ(build_tracks(pairs, features), expected);
}

// A bright blob at a known place between pixels; the offset of OpenCV's SIFT is 0.25 px.
TEST(FindFeatures, KeypointsLieWhereTheBlobIs) {
  const Rig rig = make_rig("ring12", {{"ring12", "width", "96"}, {"ring12", "height", "72"}}, 1);
  DatasetView view = blank_views(rig)[0];
  const Vec2 centre(40.3, 30.6);
  for (int row = 0; row < 72; ++row)
    for (int column = 0; column < 96; ++column)
      view.grey.push_back(static_cast<float>(
          0.2 + 0.6 * std::exp(-(Vec2(column, row) - centre).squaredNorm() / (2 * 3.0 * 3.0))));
  view.inside.assign(view.grey.size(), 1);
  const Features features = detect_features({&view, 1}, {})[0];
  ASSERT_GE(features.size(), 1U);
  EXPECT_LT((features.pixels[0] - centre).norm(), 0.05);
  double squares = 0;
  for (const std::int16_t value : features.descriptor(0)) squares += double{1} * value * value;
  EXPECT_NEAR(std::sqrt(squares), kDescriptorNorm, 10);
  view.inside.assign(view.grey.size(), 0);
  EXPECT_EQ(detect_features({&view, 1}, {})[0].size(), 0U);
}

TEST(FindFeatures, AreTheSameForAnyThreadCount) {
  const Rig rig = make_rig("ring12", {{"ring12", "width", "200"}, {"ring12", "height", "150"}}, 1);
  std::vector<DatasetView> views = blank_views(rig);
  views.resize(3);
  for (std::size_t k = 0; k < views.size(); ++k) {
    for (std::size_t i = 0; i < 200 * 150; ++i)
      views[k].grey.push_back(static_cast<float>(draw(200 * 150 * k + i)));
    views[k].inside.assign(views[k].grey.size(), 1);
  }
  const auto [one, two, five] =
      on_threads<1, 2, 5>([&] { return detect_features(views, {.keypoints = 100}); });
  for (std::size_t k = 0; k < views.size(); ++k) {
    ASSERT_EQ(one[k].size(), 100U);
    EXPECT_NE(one[k].pixels, one[(k + 1) % 3].pixels);
    for (const auto* const other : {&two, &five}) {
      EXPECT_EQ((*other)[k].pixels, one[k].pixels);
      EXPECT_EQ((*other)[k].descriptors, one[k].descriptors);
    }
  }
}

// The first image has stronger texture than the second, whose keypoints lie below a threshold taken from it,
// and weaker texture than the third.
TEST(FindFeatures, AreThoseOfEachImageAlone) {
  const Rig rig = make_rig("ring12", {{"ring12", "width", "200"}, {"ring12", "height", "150"}}, 1);
  std::vector<DatasetView> views = blank_views(rig);
  views.resize(3);
  const double contrasts[] = {0.6, 0.3, 1};
  for (std::size_t k = 0; k < views.size(); ++k) {
    for (std::size_t i = 0; i < 200 * 150; ++i)
      views[k].grey.push_back(static_cast<float>(contrasts[k] * draw(200 * 150 * k + i)));
    views[k].inside.assign(views[k].grey.size(), 1);
  }
  for (const int keypoints : {10, 100, 100'000}) {
    const std::vector<Features> together = detect_features(views, {.keypoints = keypoints});
    for (std::size_t k = 0; k < views.size(); ++k) {
      const Features alone = detect_features({&views[k], 1}, {.keypoints = keypoints})[0];
      EXPECT_EQ(together[k].pixels, alone.pixels);
      EXPECT_EQ(together[k].descriptors, alone.descriptors);
    }
  }
}

TEST(DepthRanges, AreTheInnerPercentilesWithAMargin) {
  const auto views = blank_views(make_rig("ring12", {}, 1));
  const auto& camera = views[3].camera;
  const WaterRay ray = *cast_ray(camera, Vec2(800, 600));
  std::vector<Vec3> points;
  for (int i = 0; i <= 100; ++i) points.push_back(point_on_ray(ray, 0.2 + 0.001 * i));
  const auto ranges = depth_ranges(points, views);
  ASSERT_THAT(ranges, SizeIs(13));
  ASSERT_TRUE(ranges[3]);
  EXPECT_NEAR(ranges[3]->min_m, 0.202 - 0.05, 1e-9);
  EXPECT_NEAR(ranges[3]->max_m, 0.298 + 0.05, 1e-9);
  for (auto& point : points) point.z() = camera.water_z_m + 0.01;
  EXPECT_EQ(depth_ranges(points, views)[3]->min_m, 0);
  points.resize(kMinDepthPoints - 1);
  EXPECT_FALSE(depth_ranges(points, views)[3]);
  EXPECT_FALSE(depth_ranges({}, views)[0]);
}

TEST(SparseReconstruction, NeedsTwoViews) {
  const auto views = blank_views(make_rig("ring12", {}, 1));
  EXPECT_THAT(error_of(ErrorKind::method, [&] { reconstruct(std::span(views).first(1), {}); }),
              HasSubstr("triangulation needs two"));
}

// A view counts what it sees itself, not what lies behind the object.
TEST(DepthRanges, WithoutWaterAreThoseOfAViewsOwnSightings) {
  const auto views = blank_views(make_rig("orbit", {}, 1));
  std::vector<SparsePoint> points;
  for (int i = 0; i <= 100; ++i) {
    const WaterRay ray = *cast_ray(views[0].camera, Vec2(700 + i, 600));
    points.push_back({point_on_ray(ray, 0.6 + 0.001 * i), 0, {{0, 0}, {1, 0}}});
    points.push_back({point_on_ray(ray, 1.0), 0, {{9, 0}, {10, 0}}});  // the other side
  }
  const auto ranges = sighted_depth_ranges(points, views);
  ASSERT_TRUE(ranges[0]);
  EXPECT_NEAR(ranges[0]->min_m, 0.9 * 0.602, 1e-6);
  EXPECT_NEAR(ranges[0]->max_m, 1.1 * 0.698, 1e-6);
  EXPECT_GT(depth_ranges(positions(points), views)[0]->max_m, 1.0);
}

TEST(TriangulateTrack, CountsWhatItDrops) {
  const auto all = blank_views(make_rig("orbit", {}, 1));
  const std::span views(all.data(), 2);
  const auto count_of = [&](const Vec3& point, const std::function<void(Options&)>& change) {
    Options options;
    change(options);
    const std::vector<Vec3> points = {point};
    std::vector<Features> features(views.size());
    for (std::size_t v = 0; v < views.size(); ++v)
      features[v].pixels.push_back(Vec2(799.5, 599.5));  // towards the middle of the orbit
    if (const auto seen = project(views[0].camera, point)) features[0].pixels[0] = seen->pixel;
    if (const auto seen = project(views[1].camera, point)) features[1].pixels[0] = seen->pixel;
    TrackCounts counts;
    triangulate_track(track_of(0, 2), views, features, options, &counts);
    return counts;
  };
  const auto as_it_is = [](Options&) {};
  EXPECT_EQ(count_of({0, 0, 0}, as_it_is).narrow, 0U);
  EXPECT_EQ(count_of({0, 0, 0}, [](Options& o) { o.min_angle_deg = 30; }).narrow, 1U);
  EXPECT_EQ(count_of({0, 0, 0}, [](Options& o) { o.max_depth_m = 0.7; }).too_deep, 1U) << "0.8 m away";
  EXPECT_EQ(count_of({0, 0, 0}, [](Options& o) { o.max_depth_m = 0.9; }).too_deep, 0U);
  EXPECT_EQ(count_of({-4, 0, 0}, as_it_is).too_deep, 0U) << "no limit in metres";
  const std::vector<Vec3> origin = {Vec3::Zero()};
  TrackCounts of_three;
  EXPECT_FALSE(triangulate_track(track_of(0, 2), all, exact_features(all, origin), {}, &of_three));
  EXPECT_EQ(of_three.unconfirmed, 1U) << "36 cameras, and only two see it";
  EXPECT_TRUE(triangulate_track(track_of(0, 3), all, exact_features(all, origin), {}));
  TrackCounts counts{.keypoints = 9, .tracks = 5, .points = 1, .narrow = 4};
  EXPECT_EQ(describe(counts, {}),
            "9 keypoints, 5 tracks of two or more cameras, 1 points; dropped: 4 with less than 2 degrees "
            "between rays (min_angle_deg)");
}

TEST(Sparse, ReconstructsAnOrbitWithinTwoFootprints) {
  const orbit_testing::OrbitScene& scene = orbit_testing::orbit();
  MethodInput input;
  input.parameters = resolve_parameters("sparse", method_parameters(), {});
  const Reconstruction made = run({scene.dir}, input);
  EXPECT_GE(made.cloud.points_m.size(), 500U);
  const double rmse_footprints = orbit_testing::rmse_m(scene, made.cloud.points_m) / scene.footprint_m;
  RecordProperty("points", static_cast<int>(made.cloud.points_m.size()));
  RecordProperty("rmse_footprints", std::to_string(rmse_footprints));
  EXPECT_LE(rmse_footprints, 2);
}

}  // namespace
}  // namespace aqbench::sparse
