#include "scenes/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "core/error.h"
#include "scenes/cloud/ply.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

std::string message_of(std::string_view name, const std::vector<Override>& overrides, ErrorKind kind) {
  return error_of(kind, [&] { make_scene(name, overrides); });
}

std::shared_ptr<const HeightField> field_of(const Scene& scene) {
  return std::dynamic_pointer_cast<const HeightField>(scene.truth.surface);
}

TEST(Registry, NamesAreUnique) {
  std::set<std::string> names;
  for (const SceneSpec& spec : scene_registry()) EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
}

TEST(Registry, EveryParameterIsDescribedAndItsDefaultInRange) {
  for (const SceneSpec& spec : scene_registry()) {
    EXPECT_FALSE(spec.summary.empty());
    std::vector<std::string> names;
    for (const ParameterSpec& p : spec.parameters) {
      names.push_back(p.name);
      EXPECT_FALSE(p.help.empty()) << spec.name << "." << p.name;
      if (std::holds_alternative<std::string>(p.default_value)) continue;
      EXPECT_FALSE(p.unit.empty()) << spec.name << "." << p.name;
      const double value = Parameters({p}).number(p.name);
      EXPECT_LE(p.min, value) << spec.name << "." << p.name;
      EXPECT_GE(p.max, value) << spec.name << "." << p.name;
    }
    if (!spec.has_patch) continue;
    for (const char* common : {"x_min_m", "x_max_m", "y_min_m", "y_max_m"})
      EXPECT_THAT(names, testing::Contains(common)) << spec.name;
  }
}

TEST(Registry, EverySceneMakesASurfaceOnTheStandardPatch) {
  for (const SceneSpec& spec : scene_registry()) {
    if (!spec.has_patch) continue;
    const Scene scene = make_scene(spec.name, {});
    SCOPED_TRACE(spec.name);
    EXPECT_EQ(scene.name, spec.name);
    ASSERT_NE(scene.truth.surface->patch(), nullptr);
    EXPECT_EQ(scene.truth.surface->patch()->x_max_m, 0.25);
    EXPECT_TRUE(scene.truth.surface->is_height_field());
    EXPECT_GE(scene.truth.surface->area_m2(), 0.15 * (1 - 1e-14));
    EXPECT_NEAR(field_of(scene)->jet(0.2, 0.1).z, 1.178, 0.06);
  }
}

TEST(Registry, OverridesReachTheSurface) {
  EXPECT_EQ(field_of(make_scene("flat_plane", {{"flat_plane", "depth_m", "1.3"}}))->jet(0.1, 0.1).z, 1.3);
  // Overrides of other owners are ignored.
  EXPECT_EQ(field_of(make_scene("flat_plane", {{"undulating", "nonsense", "1.3"}}))->jet(0, 0).z, 1.178);
  const Scene scene = make_scene("undulating", {{"undulating", "base_depth_m", "1.2"},
                                                {"undulating", "amplitude_m", "0.002"},
                                                {"undulating", "wavelength_m", "0.04"},
                                                {"undulating", "wavelength_ratio", "2"},
                                                {"undulating", "x_max_m", "0.1"}});
  EXPECT_NEAR(field_of(scene)->jet(0.01, 0.02).z, 1.2 + 0.002 + 0.002, 1e-15);
  EXPECT_EQ(scene.truth.surface->patch()->x_max_m, 0.1);
  EXPECT_EQ(scene.parameters.number("wavelength_ratio"), 2);

  const HeightJet tilted = field_of(make_scene("tilted_plane", {{"tilted_plane", "tilt_deg", "45"},
                                                                {"tilted_plane", "direction_deg", "90"}}))
                               ->jet(0, 0.1);
  EXPECT_NEAR(tilted.fx, 0, 1e-15);
  EXPECT_NEAR(tilted.fy, 1, 1e-15);
  EXPECT_NEAR(tilted.z, 1.278, 1e-15);

  const auto step = field_of(make_scene("step", {}));
  EXPECT_NEAR(step->jet(-0.2, 0).z, 1.168, 1e-15);
  EXPECT_NEAR(step->jet(0.2, 0).z, 1.188, 1e-15);
  const auto mound = field_of(make_scene("mound", {{"mound", "height_m", "0.01"}}));
  EXPECT_NEAR(mound->jet(0, 0).z, 1.168, 1e-15);
}

TEST(Registry, RippleFieldFollowsItsSeed) {
  const auto height = [](const char* seed) {
    return field_of(make_scene("ripple_field", {{"ripple_field", "seed", seed}}))->jet(0.03, 0.04).z;
  };
  EXPECT_EQ(height("1"), field_of(make_scene("ripple_field", {}))->jet(0.03, 0.04).z);
  EXPECT_NE(height("1"), height("2"));
}

TEST(Registry, UnknownNamesAndBadValuesAreNamed) {
  EXPECT_THAT(message_of("undulatin", {}, ErrorKind::usage),
              testing::HasSubstr("unknown scene 'undulatin'; did you mean undulating?"));
  EXPECT_THAT(message_of("xyz", {}, ErrorKind::usage), testing::HasSubstr("flat_plane, undulating"));
  EXPECT_THAT(message_of("undulating", {{"undulating", "amplitud_m", "1"}}, ErrorKind::usage),
              testing::HasSubstr("amplitude_m"));
  EXPECT_THAT(message_of("undulating", {{"undulating", "amplitude_m", "5"}}, ErrorKind::usage),
              testing::HasSubstr("undulating.amplitude_m: 5 is outside 0 to 0.1 m"));
  EXPECT_THAT(message_of("flat_plane", {{"flat_plane", "x_min_m", "0.3"}}, ErrorKind::usage),
              testing::HasSubstr("flat_plane.x_max_m: must exceed x_min_m"));
  EXPECT_THAT(message_of("flat_plane", {{"flat_plane", "x_min_m", "-9"}, {"flat_plane", "y_min_m", "-9"}},
                         ErrorKind::usage),
              testing::HasSubstr("more than 4 m2"));
  EXPECT_THAT(message_of("undulating",
                         {{"undulating", "amplitude_m", "0.1"}, {"undulating", "wavelength_m", "0.005"}},
                         ErrorKind::usage),
              testing::HasSubstr("undulating.amplitude_m: the steepest slope would be"));
  EXPECT_THAT(message_of("ripple_field", {{"ripple_field", "wavelength_min_m", "0.2"}}, ErrorKind::usage),
              testing::HasSubstr("ripple_field.wavelength_max_m: must be at least wavelength_min_m"));
}

class MeshScene : public testing::Test {
 protected:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("aqbench_mesh_scene_" + std::to_string(::getpid()) + ".ply");
  void TearDown() override { std::filesystem::remove(path_); }
};

TEST_F(MeshScene, IsReadFromItsFile) {
  const Scene flat = make_scene("flat_plane", {});
  write_ply_mesh(path_, flat.truth.surface->mesh(0.05));
  const Scene scene = make_scene("mesh:" + path_.string(), {{"flat_plane", "depth_m", "2"}});
  EXPECT_EQ(scene.name, "mesh:" + path_.string());
  EXPECT_EQ(scene.truth.surface->patch(), nullptr);
  EXPECT_FALSE(scene.truth.surface->is_height_field());
  EXPECT_NEAR(scene.truth.surface->area_m2(), 0.15, 1e-12);
  EXPECT_THAT(message_of(scene.name, {{scene.name, "depth_m", "2"}}, ErrorKind::usage),
              testing::HasSubstr("depth_m"));
}

TEST_F(MeshScene, UnusableFilesAreNamed) {
  EXPECT_THAT(message_of("mesh:" + path_.string(), {}, ErrorKind::input), testing::HasSubstr(path_.string()));
  EXPECT_THAT(message_of("mesh:", {}, ErrorKind::usage), testing::HasSubstr("mesh:FILE.ply"));
  write_ply_mesh(path_, {{{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}, {{0, 1, 2}}});
  const std::string message = message_of("mesh:" + path_.string(), {}, ErrorKind::input);
  EXPECT_THAT(message, testing::HasSubstr(path_.string()));
  EXPECT_THAT(message, testing::HasSubstr("no triangle has an area"));
}

}  // namespace
}  // namespace aqbench
