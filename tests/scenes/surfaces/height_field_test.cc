// Formulas, derivatives, areas and meshes of the surfaces by formula.

#include "scenes/surfaces/height_field.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.h"
#include "scenes/surfaces/ripples/ripple_field.h"
#include "scenes/surfaces/shapes.h"
#include "tests/scenes/surfaces/known_fields.h"

namespace aqbench {
namespace {

using surface_testing::known_fields;
using Field = std::shared_ptr<const HeightField>;

double mesh_area(const TriangleMesh& mesh) {
  double area = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    area +=
        0.5 * (mesh.vertices_m[b] - mesh.vertices_m[a]).cross(mesh.vertices_m[c] - mesh.vertices_m[a]).norm();
  return area;
}

TEST(Formulas, OfTheSeedScenes) {
  const double tau = 2 * std::numbers::pi;
  const Field flat = make_plane({}, {}), undulating = make_undulating({}, {});
  for (double x = -0.3; x < 0.3; x += 0.0137) {
    for (double y = -0.2; y < 0.2; y += 0.0171) {
      EXPECT_EQ(flat->jet(x, y).z, 1.178);
      EXPECT_NEAR(undulating->jet(x, y).z,
                  1.178 + 0.005 * (std::sin(tau * x / 0.05) + std::sin(tau * y / 0.065)), 1e-15);
    }
  }
}

TEST(Formulas, StepAndMound) {
  const Field step = make_step({1.2, 0.02, 0.04, 0.01}, {});
  EXPECT_NEAR(step->jet(-0.0101, 0).z, 1.19, 1e-15);
  EXPECT_NEAR(step->jet(0.01, 0).z, 1.2, 1e-15);
  EXPECT_NEAR(step->jet(0.0301, 0).z, 1.21, 1e-15);
  const Field mound = make_mound({1.2, 0.03, 0.05, 0.01, -0.02}, {});
  EXPECT_NEAR(mound->jet(0.01, -0.02).z, 1.17, 1e-15);
  EXPECT_NEAR(mound->jet(0.01 + 0.03, -0.02 + 0.04).z, 1.2 - 0.03 * std::exp(-0.5), 1e-15);
}

TEST(Slopes, AreThoseOfTheJets) {
  for (const auto& [name, field] : known_fields()) {
    SCOPED_TRACE(name);
    std::vector<double> x, y;
    for (int i = 0; i < 77; ++i) {
      x.push_back(0.5 * std::sin(1.0 + 7 * i));
      y.push_back(40 * std::cos(2.0 + 5 * i));
    }
    std::vector<double> z(x.size()), fx(x.size()), fy(x.size());
    field->slopes(x.data(), y.data(), x.size(), z.data(), fx.data(), fy.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const HeightJet jet = field->jet(x[i], y[i]);
      EXPECT_NEAR(z[i], jet.z, 1e-15);
      EXPECT_NEAR(fx[i], jet.fx, 1e-13);
      EXPECT_NEAR(fy[i], jet.fy, 1e-13);
    }
  }
}

TEST(Derivatives, EqualFiniteDifferences) {
  const double h = 1e-6;
  for (const auto& [name, field] : known_fields()) {
    SCOPED_TRACE(name);
    const double tolerance = 1e-8 + h * h / 6 * field->bounds().third;  // what the difference leaves out
    for (double x = -0.26; x < 0.26; x += 0.0173) {
      for (double y = -0.16; y < 0.16; y += 0.0211) {
        const HeightJet j = field->jet(x, y);
        const HeightJet east = field->jet(x + h, y), west = field->jet(x - h, y);
        const HeightJet north = field->jet(x, y + h), south = field->jet(x, y - h);
        ASSERT_NEAR(j.fx, (east.z - west.z) / (2 * h), tolerance);
        ASSERT_NEAR(j.fy, (north.z - south.z) / (2 * h), tolerance);
        ASSERT_NEAR(j.fxx, (east.fx - west.fx) / (2 * h), 2e-3);
        ASSERT_NEAR(j.fxy, (north.fx - south.fx) / (2 * h), 2e-3);
        ASSERT_NEAR(j.fyy, (north.fy - south.fy) / (2 * h), 2e-3);
      }
    }
  }
}

// The least bounds that hold between neighbours of a fine line: a kink or a jump has none that a shape could
// state.
HeightBounds bounds_seen(const HeightField& field, const Vec2& from, const Vec2& along, int steps) {
  constexpr double kStep = 1e-4;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  HeightBounds seen{kInfinity, -kInfinity, 0, 0, 0};
  HeightJet last = field.jet(from.x(), from.y());
  for (int i = 1; i <= steps; ++i) {
    const Vec2 at = from + i * kStep * along;
    const HeightJet jet = field.jet(at.x(), at.y());
    seen.z_min_m = std::min(seen.z_min_m, jet.z);
    seen.z_max_m = std::max(seen.z_max_m, jet.z);
    seen.slope = std::max({seen.slope, std::hypot(jet.fx, jet.fy), std::abs(jet.z - last.z) / kStep});
    seen.curvature = std::max(seen.curvature, std::hypot(jet.fx - last.fx, jet.fy - last.fy) / kStep);
    const double fxx = jet.fxx - last.fxx, fxy = jet.fxy - last.fxy, fyy = jet.fyy - last.fyy;
    const double norm =
        std::abs(fxx + fyy) / 2 + std::hypot((fxx - fyy) / 2, fxy);  // the largest |eigenvalue|
    seen.third = std::max(seen.third, norm / kStep);
    last = jet;
  }
  return seen;
}

TEST(Bounds, HoldEverywhere) {
  for (const auto& [name, field] : known_fields()) {
    SCOPED_TRACE(name +
                 ": closest points and rays rely on bounds(); a kink has no bound and must be rounded");
    const HeightBounds stated = field->bounds();
    const auto expect_within = [&](const HeightBounds& seen) {
      EXPECT_GE(seen.z_min_m, stated.z_min_m - 1e-14) << "z_min_m";
      EXPECT_LE(seen.z_max_m, stated.z_max_m + 1e-14) << "z_max_m";
      EXPECT_LE(seen.slope, stated.slope * (1 + 1e-9) + 1e-10) << "slope";
      EXPECT_LE(seen.curvature, stated.curvature * (1 + 1e-9) + 1e-9) << "curvature, 1/m";
      EXPECT_LE(seen.third, stated.third * (1 + 1e-9) + 1e-6) << "third, 1/m2";
    };
    for (int i = -3; i <= 3; ++i) {
      expect_within(bounds_seen(*field, {-0.27, 0.0531 * i}, {1, 0}, 5400));
      expect_within(bounds_seen(*field, {0.0831 * i, -0.17}, {0, 1}, 3400));
    }
  }
}

TEST(RippleField, HasTheRmsAskedFor) {
  const RippleOptions options;
  const Field field = make_ripple_field(make_ripples(options), {});
  double sum = 0, square = 0;
  const int side = 400;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const double dz = field->jet(0.017 * i, 0.019 * j).z - options.base_depth_m;
      sum += dz;
      square += dz * dz;
    }
  }
  EXPECT_NEAR(sum / (side * side), 0, 1e-4);
  EXPECT_NEAR(std::sqrt(square / (side * side)), 0.003, 1e-4);
  for (const Ripple& r : make_ripples(options).ripples) {
    const double wavelength = 2 * std::numbers::pi / std::hypot(r.wave_x, r.wave_y);
    EXPECT_GE(wavelength, options.wavelength_min_m * (1 - 1e-12));
    EXPECT_LE(wavelength, options.wavelength_max_m * (1 + 1e-12));
  }
}

TEST(Mesh, OfFiveMillimetrePitch) {
  const Field flat = make_plane({}, {}), undulating = make_undulating({}, {});
  for (const Field& field : {flat, undulating}) {
    const TriangleMesh mesh = field->mesh(0.005);
    EXPECT_EQ(mesh.vertices_m.size(), 6161u);
    EXPECT_EQ(mesh.triangles.size(), 12000u);
  }
  EXPECT_NEAR(mesh_area(flat->mesh(0.005)), 0.15, 1e-12);
  EXPECT_NEAR(mesh_area(undulating->mesh(0.005)), 0.1708933674, 1e-10);
}

TEST(Mesh, LiesOnTheSurfaceAndFacesTheCameras) {
  for (const auto& [name, field] : known_fields()) {
    SCOPED_TRACE(name);
    const TriangleMesh mesh = field->mesh(0.0077);
    for (const Vec3& v : mesh.vertices_m) ASSERT_NEAR(v.z(), field->jet(v.x(), v.y()).z, 1e-14);
    for (const auto& [a, b, c] : mesh.triangles) {
      const Vec3 normal =
          (mesh.vertices_m[b] - mesh.vertices_m[a]).cross(mesh.vertices_m[c] - mesh.vertices_m[a]);
      ASSERT_LT(normal.z(), 0);
    }
    EXPECT_EQ(mesh.vertices_m.front().head<2>(), Vec2(-0.25, -0.15));
    EXPECT_EQ(mesh.vertices_m.back().head<2>(), Vec2(0.25, 0.15));
  }
  EXPECT_EQ(make_plane({}, {})->mesh(10).triangles.size(), 2u);
  EXPECT_THROW(make_plane({}, {})->mesh(0), Error);
  EXPECT_THROW(make_plane({}, {})->mesh(1e-9), Error);
}

TEST(Area, OfPlanes) {
  EXPECT_NEAR(make_plane({}, {})->area_m2(), 0.15, 1e-16);
  EXPECT_NEAR(make_plane({1, 3, 4}, {0, 0.2, 0, 0.1})->area_m2(), 0.02 * std::sqrt(26.0), 1e-15);
}

// The trapezoidal rule converges faster than any power over whole periods.
TEST(Area, OfTheUndulatingSurface) {
  const Patch periods{-0.1, 0.1, -0.065, 0.065};
  const Field field = make_undulating({}, periods);
  double sum = 0;
  const int side = 400;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const HeightJet jet = field->jet(0.05 * i / side, 0.065 * j / side);
      sum += std::sqrt(1 + jet.fx * jet.fx + jet.fy * jet.fy);
    }
  }
  EXPECT_NEAR(field->area_m2(), sum / (side * side) * 0.2 * 0.13, 1e-14);
  EXPECT_NEAR(make_undulating({}, {})->area_m2() / 0.15, 1.143, 5e-4);  // the area factor of metrics.md
}

// Meshes inscribed in the surface have areas short by a term in pitch squared: extrapolated, the surface's.
TEST(Area, IsTheLimitOfMeshes) {
  for (const auto& [name, field] : known_fields()) {
    SCOPED_TRACE(name);
    const double coarse = mesh_area(field->mesh(0.001)), fine = mesh_area(field->mesh(0.0005));
    EXPECT_NEAR(field->area_m2(), fine + (fine - coarse) / 3, 2e-6 * fine);
    EXPECT_GE(field->area_m2(), 0.15 * (1 - 1e-14));
  }
}

TEST(Area, OfTheStepCutAnywhere) {
  const StepShape shape;
  const double whole = make_step(shape, {})->area_m2();
  const double left = make_step(shape, {-0.25, 0.004, -0.15, 0.15})->area_m2();
  const double right = make_step(shape, {0.004, 0.25, -0.15, 0.15})->area_m2();
  EXPECT_NEAR(whole, left + right, 1e-14);
  EXPECT_NEAR(make_step(shape, {0.1, 0.2, 0, 0.1})->area_m2(), 0.01, 1e-16);
}

TEST(Shapes, ThatMakeNoSenseAreRefused) {
  EXPECT_THROW(make_plane({std::nan(""), 0, 0}, {}), Error);
  EXPECT_THROW(make_plane({}, {0.1, 0.1, 0, 1}), Error);
  EXPECT_THROW(make_plane({}, {0, std::numeric_limits<double>::infinity(), 0, 1}), Error);
  EXPECT_THROW(make_undulating({1, 0.005, 0, 1}, {}), Error);
  EXPECT_THROW(make_step({1, 1, 0.001, 0}, {}), Error);
  EXPECT_THROW(make_mound({1, 1, 0, 0, 0}, {}), Error);
  RippleOptions none;
  none.ripples = 0;
  EXPECT_THROW(make_ripples(none), Error);
}

}  // namespace
}  // namespace aqbench
