#include "scenes/dataset/dtu_observed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/files.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path kFolder = fs::path(AQBENCH_SOURCE_DIR) / "conformance/layouts/dtu";

// A voxel is observed unless 5 divides i + 2 j + 3 k (scripts/make_layouts.py).
TEST(DtuObserved, VoxelsBoxAndPlaneComeWithTheScanInMetres) {
  const auto observed = observed_of(read_recording(kFolder / "scan7"));
  ASSERT_TRUE(observed.has_value());
  EXPECT_LT((observed->voxels.low_m - Vec3(-0.2, -0.15, 0.9)).norm(), 1e-15);
  EXPECT_LT((observed->high_m - Vec3(0.2, 0.15, 1.1)).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(observed->voxels.spacing_m, 0.025);
  EXPECT_EQ(observed->voxels.size, (std::array<std::size_t, 3>{17, 13, 9}));
  for (int i = 0; i < 17; ++i)
    for (int j = 0; j < 13; ++j)
      for (int k = 0; k < 9; ++k)
        EXPECT_EQ(is_inside(observed->voxels, Vec3(-0.2, -0.15, 0.9) + 0.025 * Vec3(i + 0.4, j - 0.4, k)),
                  (i + 2 * j + 3 * k) % 5 != 0)
            << i << " " << j << " " << k;
  ASSERT_TRUE(observed->plane.has_value());
  EXPECT_LT((*observed->plane - Eigen::Vector4d(0.1, 0.02, -1, 1.005)).norm(), 1e-12);
  EXPECT_THAT(read_observed_plane(kFolder / "ObsMask/Plane7.mat"), ElementsAre(0.1, 0.02, -1, 1005));
  EXPECT_FALSE(observed_of(read_recording(kFolder.parent_path() / "tanks")).has_value());
}

TEST(DtuObserved, DamagedFilesAndMissingVariablesAreNamed) {
  const TemporaryDirectory directory;
  const fs::path mask = kFolder / "ObsMask/ObsMask7_10.mat", plane = kFolder / "ObsMask/Plane7.mat";
  const fs::path changed = directory.path() / "changed.mat";
  const std::string whole = read_file(mask);
  const auto refusal = [&](const std::string& bytes) {
    write_file(changed, bytes);
    return error_of(ErrorKind::input, [&] { read_observed(changed, {}, 1e-3); });
  };
  EXPECT_EQ(refusal(whole), "(no error)");
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 20)), HasSubstr("changed.mat: is cut short"));
  std::string damaged = whole;
  damaged[150] = static_cast<char>(damaged[150] ^ 0x55);
  EXPECT_THAT(refusal(damaged), HasSubstr("its compressed data are damaged"));
  EXPECT_THAT(refusal(read_file(plane)), HasSubstr("expected the variable ObsMask"));
  EXPECT_THAT(refusal("MATLAB 7.3 MAT-file" + std::string(200, ' ')), HasSubstr("version 7.3 (HDF5)"));
  EXPECT_THAT(refusal("no"), HasSubstr("is no MATLAB file of level 5"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_observed(mask, mask, 1e-3); }),
              HasSubstr("expected the variable P of 4 values"));
}

}  // namespace
}  // namespace aqbench
