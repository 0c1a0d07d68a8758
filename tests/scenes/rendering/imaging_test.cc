#include "scenes/rendering/imaging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenes/optics/distortion.h"
#include "scenes/optics/rig.h"
#include "scenes/surfaces/shapes.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

Rig small_rig(std::vector<Override> overrides = {}) {
  overrides.push_back({"ring12", "width", "96"});
  overrides.push_back({"ring12", "height", "72"});
  return make_rig("ring12", overrides, 1);
}

const PatchHeightField& undulating() {
  static const auto surface = make_undulating({}, {});
  return renderable_surface(*surface, "undulating");
}

// No texture, nothing of the sensor: what is left is 0.5 everywhere.
ImagingOptions blank() {
  ImagingOptions options;
  options.texture_contrast = 0;
  options.gain_spread = options.vignetting = options.noise_sigma = 0;
  options.bits = 16;
  return options;
}

double level(const RenderedImage& image, int column, int row) {
  return image.values[static_cast<std::size_t>(row * image.width + column)] /
         (std::ldexp(1.0, image.bits) - 1);
}

TEST(Imaging, DepthIsThatOfTheSurfaceAlongTheRefractedRay) {
  const Rig rig = small_rig();
  const Renderer renderer(undulating(), blank(), 1);
  for (const Camera& camera : rig.cameras) {
    const DepthMap map = renderer.depth_map(camera);
    const RefractiveCamera refractive = refractive_camera(camera);
    ASSERT_EQ(map.depth_along_ray_m.size(), 96u * 72u);
    for (int row = 0; row < 72; row += 7) {
      for (int column = 0; column < 96; column += 5) {
        const double depth_m = map.depth_along_ray_m[static_cast<std::size_t>(row * 96 + column)];
        ASSERT_TRUE(std::isfinite(depth_m)) << camera.name;
        const Vec3 p = point_on_ray(*cast_ray(refractive, {double(column), double(row)}), depth_m);
        const double z_m =
            1.178 + 0.005 * (std::sin(2 * M_PI * p.x() / 0.05) + std::sin(2 * M_PI * p.y() / 0.065));
        EXPECT_NEAR(p.z(), z_m, 1e-6);  // the depth is a float
      }
    }
  }
}

TEST(Imaging, AUniformSurfaceWithoutSensorEffectsIsUniform) {
  const Rig rig = small_rig();
  const RenderedImage image = Renderer(undulating(), blank(), 1).image(rig.cameras[3], 3);
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column) ASSERT_NEAR(level(image, column, row), 0.5, 1e-5);
}

TEST(Imaging, AbsorptionFollowsTheDepth) {
  const Rig rig = small_rig({{"ring12", "k1", "0"}, {"ring12", "k2", "0"}});
  ImagingOptions options = blank();
  options.absorption_per_m = 2;
  const auto plane = make_plane({}, {});
  const Renderer renderer(renderable_surface(*plane, "flat_plane"), options, 1);
  const RenderedImage image = renderer.image(rig.cameras[0], 0);
  const DepthMap depth = renderer.depth_map(rig.cameras[0]);
  for (int row = 4; row < 72; row += 9)
    for (int column = 4; column < 96; column += 9)
      EXPECT_NEAR(level(image, column, row),
                  0.5 * std::exp(-2.0 * depth.depth_along_ray_m[static_cast<std::size_t>(row * 96 + column)]),
                  1e-4);
}

TEST(Imaging, VignettingAndGain) {
  const Rig rig = small_rig();
  ImagingOptions options = blank();
  options.vignetting = 0.2;
  options.gain_spread = 0.05;
  const Renderer renderer(undulating(), options, 5);
  double least = 2, most = 0;
  for (std::uint64_t camera = 0; camera < 13; ++camera) {
    const double gain = renderer.gain(camera);
    least = std::min(least, gain);
    most = std::max(most, gain);
    const RenderedImage image = renderer.image(rig.cameras[camera], camera);
    EXPECT_NEAR(level(image, 0, 0), 0.5 * gain * 0.8, 1e-5);
    EXPECT_NEAR(level(image, 95, 71), 0.5 * gain * 0.8, 1e-5);
    EXPECT_NEAR(level(image, 48, 36), 0.5 * gain, 1e-4);
  }
  EXPECT_GE(least, 0.95);
  EXPECT_LE(most, 1.05);
  EXPECT_GT(most - least, 0.04);
}

TEST(Imaging, NoiseHasItsSigmaAndIsWhite) {
  const Rig rig = small_rig();
  ImagingOptions options = blank();
  options.noise_sigma = 2.0 / 255;
  const Renderer renderer(undulating(), options, 5);
  const RenderedImage image = renderer.image(rig.cameras[1], 1);
  const RenderedImage other = renderer.image(rig.cameras[1], 2);
  double sum = 0, squares = 0, along = 0, down = 0, across = 0;
  const int count = 95 * 71;
  for (int row = 0; row < 71; ++row) {
    for (int column = 0; column < 95; ++column) {
      const double e = level(image, column, row) - 0.5;
      sum += e;
      squares += e * e;
      along += e * (level(image, column + 1, row) - 0.5);
      down += e * (level(image, column, row + 1) - 0.5);
      across += e * (level(other, column, row) - 0.5);
    }
  }
  const double error = 4 / std::sqrt(count);  // four standard errors
  EXPECT_NEAR(std::sqrt(squares / count), 2.0 / 255, 2.0 / 255 * error);
  EXPECT_NEAR(sum / count, 0, 2.0 / 255 * error);
  EXPECT_NEAR(along / squares, 0, error);
  EXPECT_NEAR(down / squares, 0, error);
  EXPECT_NEAR(across / squares, 0, error) << "cameras have noise of their own";
}

// What a pixel should be, by many samples of an independent kind: the camera model applied forwards to the
// texture, integrated over the point spread.
TEST(Imaging, ThePointSpreadIsThatOfADenselySampledGaussian) {
  std::vector<Override> fine = {
      {"ring12", "width", "400"}, {"ring12", "height", "300"}, {"ring12", "focal_px", "1500"}};
  const Rig rig = make_rig("ring12", fine, 1);
  ImagingOptions options = blank();
  options.texture_contrast = 0.1;
  const auto plane = make_plane({}, {});
  const RenderedImage image =
      Renderer(renderable_surface(*plane, "flat_plane"), options, 8).image(rig.cameras[2], 2);
  TextureOptions texture_options;
  texture_options.rms_contrast = 0.1;
  const Texture texture(texture_options, 8);
  const RefractiveCamera camera = refractive_camera(rig.cameras[2]);
  const Undistorter undistorter(rig.cameras[2].intrinsics);
  double squares = 0, signal = 0;
  int count = 0;
  for (int row = 5; row < 300; row += 29) {
    for (int column = 3; column < 400; column += 31) {
      double sum = 0, weights = 0;
      for (int j = -10; j <= 10; ++j) {
        for (int i = -10; i <= 10; ++i) {
          const double du = i * 0.2, dv = j * 0.2, weight = std::exp(-(du * du + dv * dv) / (2 * 0.25));
          const auto ray = cast_ray(camera, *undistorter.undistort_pixel({column + du, row + dv}));
          const Vec3 p = point_on_ray(*ray, 0.2 / ray->direction[2]);
          sum += weight * texture.at(p.x(), p.y());
          weights += weight;
        }
      }
      squares += std::pow(level(image, column, row) - sum / weights, 2);
      signal += std::pow(sum / weights - 0.5, 2);
      ++count;
    }
  }
  EXPECT_GT(std::sqrt(signal / count), 0.04);
  EXPECT_LT(std::sqrt(squares / count), 0.02 * std::sqrt(signal / count));
}

TEST(Imaging, SameBytesForAnyThreadCountAndOthersForAnotherSeed) {
  const Rig rig = small_rig();
  const auto rendered = [&](std::uint64_t seed) {
    const Renderer renderer(undulating(), {}, seed);
    return std::pair(renderer.image(rig.cameras[12], 12).values,
                     renderer.depth_map(rig.cameras[12]).depth_along_ray_m);
  };
  const auto [one, three] = on_threads<1, 3>([&] { return rendered(1); });
  EXPECT_EQ(one, three);
  EXPECT_NE(one.first, rendered(2).first);
}

TEST(Imaging, RaysThatMeetNothingAreBlackAndNaN) {
  // Plane falling away faster than some rays sink.
  const Rig rig = small_rig({{"ring12", "n_water", "1"}});
  const auto plane = make_plane({1.178, 2, 0}, {});
  const Renderer renderer(renderable_surface(*plane, "tilted"), blank(), 1);
  int missing = 0, black = 0;
  for (const Camera& camera : rig.cameras) {
    for (const float d : renderer.depth_map(camera).depth_along_ray_m) missing += std::isnan(d);
    const RenderedImage image = renderer.image(camera, 0);
    black += static_cast<int>(std::ranges::count(image.values, 0));
  }
  EXPECT_GT(missing, 100);
  EXPECT_NEAR(black, missing, 0.2 * missing);
}

// A spread far below the samples' spacing leaves the nearest samples, which weigh the same: two a side are
// then the mean over the pixel, one or three the sample at its centre.
TEST(Imaging, APointSpreadBelowTheSamplesLeavesTheNearestOnes) {
  const Rig rig = small_rig({});
  const auto values = [&](double sigma_px, int samples) {
    ImagingOptions options;
    options.noise_sigma = 0;
    options.psf_sigma_px = sigma_px;
    options.samples_per_side = samples;
    return Renderer(undulating(), options, 1).image(rig.cameras[0], 0).values;
  };
  const auto one = values(0, 1), two = values(0, 2), three = values(1e-3, 3);
  for (const double sigma_px : {0.01, 0.005, 1e-5, 1e-300}) {
    EXPECT_EQ(values(sigma_px, 2), two) << sigma_px;
    EXPECT_EQ(values(sigma_px, 1), one) << sigma_px;
    EXPECT_EQ(values(sigma_px, 3), three) << sigma_px;
  }
  EXPECT_NE(values(0.5, 2), two);
}

TEST(Imaging, VariantsAreWhatTheySay) {
  const auto options_of = [](const char* name) {
    return imaging_options(
        resolve_parameters("imaging", imaging_parameters(), find_imaging_variant(name).overrides));
  };
  EXPECT_EQ(options_of("default").texture_contrast, 0.15);
  EXPECT_EQ(options_of("default").noise_sigma, 2.0 / 255);
  EXPECT_EQ(options_of("low_contrast").texture_contrast, 0.03);
  EXPECT_EQ(options_of("textureless").texture_contrast, 0);
  const ImagingOptions clean = options_of("clean");
  EXPECT_EQ(clean.gain_spread + clean.vignetting + clean.noise_sigma, 0);
  EXPECT_EQ(clean.bits, 16);
  EXPECT_EQ(clean.psf_sigma_px, 0.5);
  EXPECT_THAT(error_of(ErrorKind::usage, [] { find_imaging_variant("claen"); }), testing::HasSubstr("clean"));
  ImagingOptions odd;
  odd.bits = 12;
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { Renderer(undulating(), odd, 1); }),
              testing::HasSubstr("imaging.bits"));
}

}  // namespace
}  // namespace aqbench
