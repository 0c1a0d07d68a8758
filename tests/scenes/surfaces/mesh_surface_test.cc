#include "scenes/surfaces/mesh_surface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <random>

#include "core/error.h"
#include "core/parallel.h"
#include "scenes/surfaces/shapes.h"
#include "scenes/surfaces/triangle_tree.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

std::vector<Vec3> noisy_points(const Surface& surface, std::size_t count, double inset_m, double height_m) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<Vec3> points(count);
  surface.sample_positions(8, 0, points);
  std::erase_if(points, [&](const Vec3& p) {
    return std::abs(p.x()) > 0.25 - inset_m || std::abs(p.y()) > 0.15 - inset_m;
  });
  for (Vec3& p : points) p.z() += height_m * u(random);
  return points;
}

std::vector<ClosestPoint> closest(const Surface& surface, const std::vector<Vec3>& points) {
  std::vector<ClosestPoint> out(points.size());
  surface.closest_points(points, out);
  return out;
}

ClosestPoint closest(const Surface& surface, const Vec3& p) {
  return closest(surface, std::vector{p}).front();
}

TEST(MeshSurface, OfAPlaneIsThePlane) {
  const auto plane = make_plane({1.178, 0.3, -0.2}, {});
  const auto mesh = make_mesh_surface(plane->mesh(0.005));
  const std::vector<Vec3> points = noisy_points(*plane, 3000, 0.02, 0.01);
  const std::vector<ClosestPoint> by_mesh = closest(*mesh, points), by_formula = closest(*plane, points);
  std::vector<double> distances(points.size());
  mesh->signed_distances(points, distances);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(by_mesh[i].signed_distance_m, by_formula[i].signed_distance_m, 1e-12);
    EXPECT_LT((by_mesh[i].position_m - by_formula[i].position_m).norm(), 1e-7);
    EXPECT_LT((by_mesh[i].normal - by_formula[i].normal).norm(), 1e-10);
    EXPECT_EQ(by_mesh[i].signed_distance_m, distances[i]);
  }
  EXPECT_NEAR(mesh->area_m2(), plane->area_m2(), 1e-12);
  EXPECT_EQ(mesh->patch(), nullptr);
  EXPECT_EQ(mesh->mesh(1).triangles.size(), plane->mesh(0.005).triangles.size());
}

// The mesh's vertices lie on the surface, so the two differ by the chord's sagitta: at a pitch of 5 mm up to
// pitch^2 / 8 (0.2467 and 0.1460 mm) in x and in y. Distances to two surfaces that far apart differ by no
// more; and the difference falls with the square of the pitch.
TEST(MeshSurface, DiffersFromTheFormulaByTheChordError) {
  const UndulatingShape shape;
  const auto undulating = make_undulating(shape, {});
  const std::vector<Vec3> points = noisy_points(*undulating, 20000, 0.02, 0.003);
  const std::vector<ClosestPoint> exact = closest(*undulating, points);
  double last = 0;
  for (const double pitch : {0.005, 0.0025, 0.00125}) {
    const auto mesh = make_mesh_surface(undulating->mesh(pitch));
    const std::vector<ClosestPoint> meshed = closest(*mesh, points);
    double largest = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      largest = std::max(largest, std::abs(meshed[i].signed_distance_m - exact[i].signed_distance_m));
    const double wave_x = 2 * M_PI / shape.wavelength_m, wave_y = wave_x / shape.wavelength_ratio;
    const double chord = shape.amplitude_m * pitch * pitch / 8 * (wave_x * wave_x + wave_y * wave_y);
    EXPECT_LT(largest, chord);
    EXPECT_GT(largest, 0.6 * chord);
    if (last > 0) {
      EXPECT_NEAR(last / largest, 4, 0.5);
    }
    last = largest;
  }
}

TEST(MeshSurface, FindsTheClosestOfAllTriangles) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> u(-1, 1);
  TriangleMesh soup;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const Vec3 at(u(random), u(random), u(random));
    for (int k = 0; k < 3; ++k) soup.vertices_m.push_back(at + 0.2 * Vec3(u(random), u(random), u(random)));
    soup.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const auto mesh = make_mesh_surface(soup);
  for (int i = 0; i < 500; ++i) {
    const Vec3 p = 1.5 * Vec3(u(random), u(random), u(random));
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [a, b, c] : soup.triangles)
      best = std::min(
          best,
          (closest_on_triangle(p, {soup.vertices_m[a], soup.vertices_m[b], soup.vertices_m[c]}).position_m -
           p)
              .norm());
    EXPECT_NEAR(std::abs(closest(*mesh, p).signed_distance_m), best, 2e-7);
  }
}

TriangleMesh ridge(double slope) {  // along y, its edge at x = 0 nearest to the cameras
  return {
      {{-1, -1, 1 + slope}, {0, -1, 1}, {1, -1, 1 + slope}, {-1, 1, 1 + slope}, {0, 1, 1}, {1, 1, 1 + slope}},
      {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}}};
}

// The closest point of what lies above a sharp ridge is on its edge, where one face's plane alone would put
// some points on the wrong side.
TEST(MeshSurface, TellsTheSideAtASharpEdge) {
  const auto mesh = make_mesh_surface(ridge(3));
  for (double x = -0.5; x <= 0.5; x += 0.01) {
    for (const double above : {0.001, 0.1, 0.3}) {
      EXPECT_GT(closest(*mesh, {x, 0.1, 1 + 3 * std::abs(x) - above}).signed_distance_m, 0) << x;
      EXPECT_LT(closest(*mesh, {x, 0.1, 1 + 3 * std::abs(x) + above}).signed_distance_m, 0) << x;
    }
  }
}

TEST(MeshSurface, TurnsNormalsToTheCamerasWhateverTheWinding) {
  for (const bool turned : {false, true}) {
    TriangleMesh mesh{{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}}, {{0, 1, 2}}};
    if (turned) std::swap(mesh.triangles[0][1], mesh.triangles[0][2]);
    const ClosestPoint c = closest(*make_mesh_surface(mesh), {0.2, 0.2, 0.9});
    EXPECT_EQ(c.normal, Vec3(0, 0, -1));
    EXPECT_NEAR(c.signed_distance_m, 0.1, 1e-12);
    // A vertical triangle has no side of the cameras: it looks towards smaller y, or x.
    TriangleMesh wall{{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2}}};
    if (turned) std::swap(wall.triangles[0][1], wall.triangles[0][2]);
    EXPECT_NEAR(closest(*make_mesh_surface(wall), {0.5, 0.2, 0.2}).signed_distance_m, -0.5, 1e-12);
  }
}

// A box of 2 without its lower side, cameras about it, mostly below, and in it.
TEST(MeshSurface, OfAnOpenObjectIsPositiveWhereTheCamerasAre) {
  TriangleMesh box;
  for (int i = 0; i < 8; ++i)
    box.vertices_m.emplace_back(i % 2 == 0 ? -1 : 1, i / 2 % 2 == 0 ? -1 : 1, i / 4 == 0 ? -1 : 1);
  box.triangles = {{0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}, {0, 1, 4},
                   {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {4, 5, 6}, {5, 7, 6}};
  std::vector<Vec3> around_m, inside_m = {{0.3, 0.2, 0.1}, {-0.5, 0.1, 0.4}};
  for (int i = 0; i < 12; ++i)
    around_m.emplace_back(4 * std::cos(0.5236 * i), 4 * std::sin(0.5236 * i), 2 * (i % 3 - 1) - 2);
  const auto seen = make_mesh_surface(box, MeshSide::outside, around_m);
  const auto room = make_mesh_surface(box, MeshSide::outside, inside_m), level = make_mesh_surface(box);
  for (const Vec3& out : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(0, 0, 1)}) {
    const Vec3 place = out + Vec3(0.1, 0.1, 0.1) - 0.1 * out.cwiseAbs();
    EXPECT_NEAR(closest(*seen, place + 0.1 * out).signed_distance_m, 0.1, 1e-12) << out.transpose();
    EXPECT_NEAR(closest(*seen, place - 0.1 * out).signed_distance_m, -0.1, 1e-12) << out.transpose();
    EXPECT_NEAR(closest(*room, place - 0.1 * out).signed_distance_m, 0.1, 1e-12) << out.transpose();
  }
  EXPECT_NEAR(closest(*level, {0.1, 0.1, 1.1}).signed_distance_m, -0.1, 1e-12) << "towards smaller z";
  box.triangles = {{4, 5, 6}, {5, 7, 6}};  // the upper side alone
  for (const double side : {-1.0, 1.0}) {
    const std::vector<Vec3> camera_m = {{3, 0, 1 + side}};
    const auto roof = make_mesh_surface(box, MeshSide::outside, camera_m);
    EXPECT_NEAR(closest(*roof, {0.1, 0.1, 1.1}).signed_distance_m, 0.1 * side, 1e-12);
  }
}

TEST(MeshSurface, IsAsExactFarFromTheOrigin) {
  TriangleMesh mesh = make_undulating({}, {})->mesh(0.01);
  const auto here = make_mesh_surface(mesh);
  const Vec3 offset(1000, -2000, 500);
  for (Vec3& v : mesh.vertices_m) v += offset;
  const auto there = make_mesh_surface(mesh);
  for (const Vec3& p : noisy_points(*make_undulating({}, {}), 500, 0, 0.01))
    EXPECT_NEAR(closest(*here, p).signed_distance_m, closest(*there, p + offset).signed_distance_m, 1e-7);
}

TEST(MeshSurface, AnswersSeveralThreadsAlike) {
  const auto undulating = make_undulating({}, {});
  const auto mesh = make_mesh_surface(undulating->mesh(0.002));
  const std::vector<Vec3> points = noisy_points(*undulating, 4000, 0, 0.005);
  const std::vector<ClosestPoint> alone = closest(*mesh, points);
  std::vector<ClosestPoint> shared(points.size());
  const int before = thread_count();
  set_thread_count(4);
  parallel_for(points.size(), 100, [&](std::size_t begin, std::size_t end) {
    mesh->closest_points(std::span(points).subspan(begin, end - begin),
                         std::span(shared).subspan(begin, end - begin));
  });
  set_thread_count(before);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(alone[i].signed_distance_m, shared[i].signed_distance_m);
    EXPECT_EQ(alone[i].position_m, shared[i].position_m);
  }
  mesh->closest_points({}, {});
}

TEST(MeshSurface, SamplesAreUniformOverTheTriangles) {
  const auto mesh = make_mesh_surface(ridge(1));
  std::vector<Vec3> positions(40000);
  mesh->sample_positions(5, 0, positions);
  std::vector<Vec3> again(10);
  mesh->sample_positions(5, 100, again);
  EXPECT_TRUE(std::equal(again.begin(), again.end(), positions.begin() + 100));
  std::array<double, 16> bins{};
  for (const Vec3& p : positions) {
    EXPECT_NEAR(p.z(), 1 + std::abs(p.x()), 1e-12);
    ++bins[static_cast<std::size_t>(static_cast<int>((p.x() + 1) * 2) * 4 +
                                    static_cast<int>((p.y() + 1) * 2))];
  }
  double chi_square = 0;
  for (const double count : bins) chi_square += (count - 2500) * (count - 2500) / 2500;
  EXPECT_NEAR(chi_square, 15, 4 * std::sqrt(30.0));
}

TEST(MeshSurface, StratifiedSamplesCoverLargeAndSmallTriangles) {
  for (const TriangleMesh& shape : {ridge(1), make_undulating({}, {})->mesh(0.005)}) {
    const auto mesh = make_mesh_surface(shape);
    const double spacing = std::sqrt(mesh->area_m2() / 50000);
    const auto [samples, three] = on_threads<1, 3>([&] { return mesh->stratified_samples(spacing, 2); });
    EXPECT_EQ(samples.positions_m, three.positions_m);
    EXPECT_NEAR(static_cast<double>(samples.positions_m.size()), 50000, 1);
    double sum = 0, steps = 0, far = 0;
    for (std::size_t i = 0; i < samples.positions_m.size(); ++i) {
      sum += samples.weight_m2(i);
      if (i > 0) steps += (samples.positions_m[i] - samples.positions_m[i - 1]).norm();
    }
    EXPECT_NEAR(sum, mesh->area_m2(), 1e-10 * sum);
    EXPECT_LT(steps / 50000, 2 * spacing);
    // No hole: within a few spacings of any place there is a sample.
    std::vector<Vec3> places(200);
    mesh->sample_positions(77, 0, places);
    for (const Vec3& place : places) {
      double nearest = 1e9;
      for (const Vec3& p : samples.positions_m) nearest = std::min(nearest, (p - place).squaredNorm());
      far = std::max(far, std::sqrt(nearest));
    }
    EXPECT_LT(far, 3 * spacing);
  }
}

TEST(MeshSurface, IgnoresTrianglesWithoutArea) {
  TriangleMesh mesh = make_plane({}, {})->mesh(0.1);
  const double area = make_mesh_surface(mesh)->area_m2();
  mesh.triangles.push_back({0, 0, 1});
  mesh.triangles.push_back({2, 2, 2});
  const auto surface = make_mesh_surface(mesh);
  EXPECT_EQ(surface->area_m2(), area);
  EXPECT_NEAR(closest(*surface, {-0.25, -0.15, 1.1}).signed_distance_m, 0.078, 1e-12);
}

TEST(MeshSurface, RefusesWhatCannotBeUsed) {
  const auto message = [](TriangleMesh mesh) {
    return error_of(ErrorKind::input, [&] { make_mesh_surface(std::move(mesh)); });
  };
  const std::vector<Vec3> corners{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  EXPECT_THAT(message({}), testing::HasSubstr("no triangles"));
  EXPECT_THAT(message({corners, {}}), testing::HasSubstr("no triangles"));
  EXPECT_THAT(message({corners, {{0, 1, 3}}}), testing::HasSubstr("triangle 0: vertex 3 of 3"));
  EXPECT_THAT(message({corners, {{0, 1, 1}}}), testing::HasSubstr("no triangle has an area"));
  auto broken = corners;
  broken[1].y() = std::nan("");
  EXPECT_THAT(message({broken, {{0, 1, 2}}}), testing::HasSubstr("vertex 1 is not finite"));
}

TEST(MeshSurface, RefusesAnExtentWhoseProductsOverflow) {
  const auto message = [](double far_m) {
    return error_of(ErrorKind::input, [&] {
      const auto mesh = make_mesh_surface({{{0, 0, 1}, {far_m, 0, 1}, {0, 1, 1}}, {{0, 1, 2}}});
      EXPECT_NEAR(closest(*mesh, {0.2, 0.2, 0.9}).signed_distance_m, 0.1, 1e-12);
    });
  };
  for (const double far_m : {1.0, 1e3, 1e6}) EXPECT_EQ(message(far_m), "(no error)") << far_m;
  for (const double far_m : {1e51, 1e60, 1e100})
    EXPECT_THAT(message(far_m), testing::HasSubstr("mesh: vertex 1 is farther than 1e+50 m")) << far_m;
}

// Whatever is measurable has a distance: 1e100 m is the largest coordinate that is
// (scenes/cloud/measurable.h).
TEST(MeshSurface, MeasuresPointsFarAway) {
  const auto mesh = make_mesh_surface(make_plane({}, {})->mesh(0.05));
  for (const double far_m : {1e4, 1e7, 1.4e8, 1e12, 1e19, 1e20, 1e38, 1e39, 1e100}) {
    for (const Vec3& direction : {Vec3(0, 0, -1), Vec3(1, 0, 0), Vec3(-0.6, 0.5, -0.4)}) {
      const double distance_m = closest(*mesh, direction * far_m).signed_distance_m;
      EXPECT_NEAR(std::abs(distance_m) / far_m, direction.norm(), 2 / far_m + 1e-12) << far_m;
    }
  }
}

}  // namespace
}  // namespace aqbench
