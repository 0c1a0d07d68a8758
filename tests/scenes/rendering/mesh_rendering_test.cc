// A mesh is seen as the surface that it stands for, up to its facets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"
#include "scenes/rendering/imaging.h"
#include "scenes/rendering/visibility.h"
#include "scenes/surfaces/mesh_surface.h"
#include "scenes/surfaces/shapes.h"

namespace aqbench {
namespace {

Rig small_pair() {
  return make_rig("single_pair", {{"single_pair", "width", "96"}, {"single_pair", "height", "72"}}, 1);
}

TriangleMesh level_square(double half_m, double z_m) {
  TriangleMesh mesh;
  mesh.vertices_m = {
      {-half_m, -half_m, z_m}, {half_m, -half_m, z_m}, {half_m, half_m, z_m}, {-half_m, half_m, z_m}};
  mesh.triangles = {{0, 2, 1}, {0, 3, 2}};
  return mesh;
}

TEST(MeshRendering, APlaneOfTwoFacesIsTheFlatPlane) {
  const auto formula = make_plane({.depth_m = 1.178}, {});
  const auto mesh = make_mesh_surface(level_square(3, 1.178));
  const Rig rig = small_pair();
  const Renderer of_formula(*formula, {}, 7), of_mesh(*mesh, {}, 7);
  const DepthMap expected = of_formula.depth_map(rig.cameras[1]), depths = of_mesh.depth_map(rig.cameras[1]);
  const RenderedImage image = of_formula.image(rig.cameras[1], 1),
                      image_of_mesh = of_mesh.image(rig.cameras[1], 1);
  ASSERT_EQ(image.values.size(), 96U * 72U);
  for (std::size_t i = 0; i < image.values.size(); ++i) {
    ASSERT_NEAR(depths.depth_along_ray_m[i], expected.depth_along_ray_m[i], 1e-7) << i;
    ASSERT_NEAR(image_of_mesh.values[i], image.values[i], 1) << i << ": of 255";
  }
}

// How far a ray's depth differs where two surfaces are `height_m` apart at most and no steeper than `slope`.
double depth_bound_m(const Camera& camera, std::size_t pixel, double height_m, double slope) {
  const auto width = static_cast<std::size_t>(camera.intrinsics.width_px);
  const auto ray = cast_ray(refractive_camera(camera),
                            {static_cast<double>(pixel % width), static_cast<double>(pixel / width)});
  return height_m / (ray->direction[2] - slope * std::hypot(ray->direction[0], ray->direction[1]));
}

// Whether all pixels that the point spread reaches look at the mesh.
bool sees_only_the_mesh(const DepthMap& depths, std::size_t pixel) {
  const int x = static_cast<int>(pixel) % depths.width, y = static_cast<int>(pixel) / depths.width;
  for (int v = y - 3; v <= y + 3; ++v)
    for (int u = x - 3; u <= x + 3; ++u)
      if (u < 0 || v < 0 || u >= depths.width || v >= depths.height ||
          !std::isfinite(depths.depth_along_ray_m[static_cast<std::size_t>(v * depths.width + u)]))
        return false;
  return true;
}

// Linear interpolation over right triangles with legs h is off by h^2 / 8 (|z_xx| + |z_yy|) at most: z_xx =
// A kx^2, z_yy = A ky^2 of the two sines.
TEST(MeshRendering, AnUndulatingMeshIsTheFormulaUpToItsFacets) {
  constexpr double kPitch_m = 0.002;
  const UndulatingShape shape;
  const double kx = 2 * std::numbers::pi / shape.wavelength_m, ky = kx / shape.wavelength_ratio;
  const double height_m = kPitch_m * kPitch_m / 8 * shape.amplitude_m * (kx * kx + ky * ky);
  const double slope = shape.amplitude_m * std::hypot(kx, ky);
  const auto smooth = make_undulating(shape, {});
  const auto mesh = make_mesh_surface(smooth->mesh(kPitch_m));
  const double estimate_m = facet_error_m(mesh->mesh(0));
  EXPECT_GT(estimate_m, 0.5 * height_m);
  EXPECT_LT(estimate_m, 3 * height_m);

  const Rig rig = small_pair();
  const Camera& camera = rig.cameras[0];
  ImagingOptions options;
  options.noise_sigma = 0;
  const Renderer of_smooth(*smooth, options, 7), of_mesh(*mesh, options, 7);
  const DepthMap expected = of_smooth.depth_map(camera), depths = of_mesh.depth_map(camera);
  const RenderedImage image = of_smooth.image(camera, 0), image_of_mesh = of_mesh.image(camera, 0);
  std::vector<double> grey;
  for (std::size_t i = 0; i < depths.depth_along_ray_m.size(); ++i) {
    if (!std::isfinite(depths.depth_along_ray_m[i])) continue;  // beyond the mesh, which ends with the patch
    ASSERT_NEAR(depths.depth_along_ray_m[i], expected.depth_along_ray_m[i],
                depth_bound_m(camera, i, height_m, slope) + 1e-7)
        << i;
    if (sees_only_the_mesh(depths, i)) grey.push_back(std::abs(image.values[i] - image_of_mesh.values[i]));
  }
  ASSERT_GT(grey.size(), 300U);
  std::ranges::sort(grey);
  EXPECT_LE(grey[grey.size() * 9 / 10], 2) << "of 255";
  EXPECT_LE(grey.back(), 12) << "of 255";
}

TEST(MeshRendering, FacesHideWhatLiesBehindThem) {
  const Rig rig = make_rig("single_pair", {}, 1);
  TriangleMesh mesh = level_square(3, 1.178);
  const auto floor = make_mesh_surface(mesh);
  const std::vector<Vec3> places = {{0, 0, 1.178}, {0.2, 0, 1.178}};
  EXPECT_EQ(count_views(*floor, rig, places), (std::vector<int>{2, 2}));
  const TriangleMesh roof = level_square(0.1, 1.1);
  mesh.vertices_m.insert(mesh.vertices_m.end(), roof.vertices_m.begin(), roof.vertices_m.end());
  for (const auto& [a, b, c] : roof.triangles) mesh.triangles.push_back({a + 4, b + 4, c + 4});
  EXPECT_EQ(count_views(*make_mesh_surface(mesh), rig, places), (std::vector<int>{0, 2}));
}

TEST(MeshRendering, FacesOfAnyDirectionShowTheTexture) {
  const Texture texture({}, 3);
  EXPECT_EQ(paint_on_face(texture, {0.1, 0.2, 1}, {0, 0, -1}), texture.at(0.1, 0.2));
  EXPECT_NE(paint_on_face(texture, {0.1, 0.2, 1.1}, {1, 0, 0}),
            paint_on_face(texture, {0.1, 0.2, 1.2}, {1, 0, 0}))
      << "a vertical face is no stripe";
}

// A cylinder of radius 1 m in steps of 10 mm: an arc's chord lies 10 mm^2 / (8 x 1 m) off, a facet's circle
// covers its width, too.
TEST(FacetError, IsThatOfACylinder) {
  TriangleMesh mesh;
  for (int i = 0; i <= 40; ++i)
    for (const double y : {0.0, 0.01}) {
      const double angle = 0.01 * i;
      mesh.vertices_m.emplace_back(std::sin(angle), y, 2 - std::cos(angle));
    }
  for (std::uint32_t i = 0; i < 40; ++i) {
    mesh.triangles.push_back({2 * i, 2 * i + 2, 2 * i + 1});
    mesh.triangles.push_back({2 * i + 1, 2 * i + 2, 2 * i + 3});
  }
  const double chord_m = 0.01 * 0.01 / 8;
  EXPECT_GT(facet_error_m(mesh), chord_m);
  EXPECT_LT(facet_error_m(mesh), 6 * chord_m);
  for (Vec3& vertex : mesh.vertices_m) vertex.z() = 1;
  EXPECT_EQ(facet_error_m(mesh), 0);
}

}  // namespace
}  // namespace aqbench
