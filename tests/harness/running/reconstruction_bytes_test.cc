#include "harness/running/reconstruction_bytes.h"

#include <cmath>

#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using testing::HasSubstr;

TEST(ReconstructionBytes, ComeBackAsTheyWere) {
  Reconstruction sent;
  sent.cloud.points_m = {{1, 2, 3}, {4, 5, 6}};
  sent.cloud.confidence = {0.5F, 0.25F};
  sent.mesh = TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  sent.depth_maps = {{"cam00", 2, 1, {1.5F, 2.5F}, {}}};
  sent.unfiltered_depth_maps = {{"cam00", 2, 1, {1.25F, 2.5F}, {1, 0}}};
  sent.effective = {{"window_px", 7}, {"voxel_m", 0.001}};
  const std::string plain_sha256 = output_sha256(sent);
  sent.cloud.colours = {{1, 2, 3}, {4, 5, 255}};
  EXPECT_EQ(output_sha256(sent), plain_sha256);  // they are for display alone
  const std::string bytes = encode_reconstruction(sent);
  const Reconstruction got = decode_reconstruction(bytes);
  EXPECT_EQ(output_sha256(got), output_sha256(sent));
  EXPECT_EQ(got.cloud.colours, sent.cloud.colours);
  EXPECT_EQ(got.unfiltered_depth_maps[0].depth_along_ray_m, sent.unfiltered_depth_maps[0].depth_along_ray_m);
  EXPECT_EQ(got.unfiltered_depth_maps[0].confidence, sent.unfiltered_depth_maps[0].confidence);
  EXPECT_EQ(got.effective, sent.effective);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_THAT(
        error_of(ErrorKind::method, [&] { decode_reconstruction(std::string_view(bytes).substr(0, cut)); }),
        HasSubstr("returned malformed data"));
  EXPECT_THAT(error_of(ErrorKind::method, [&] { decode_reconstruction(bytes + "x"); }),
              HasSubstr("malformed data"));
  const auto refused = [&](const std::string& name, double value) {
    Reconstruction received = sent;
    received.effective = {{name, value}};
    return error_of(ErrorKind::method, [&] { decode_reconstruction(encode_reconstruction(received)); });
  };
  EXPECT_THAT(refused("window\033[2J", 7), HasSubstr("malformed data"));
  EXPECT_THAT(refused("", 7), HasSubstr("malformed data"));
  EXPECT_THAT(refused("window_px", std::nan("")), HasSubstr("malformed data"));
  Reconstruction few = sent;
  few.cloud.colours.pop_back();
  EXPECT_THAT(error_of(ErrorKind::method, [&] { decode_reconstruction(encode_reconstruction(few)); }),
              HasSubstr("malformed data"));
  sent.mesh->triangles[0][1] = 3;
  EXPECT_THAT(error_of(ErrorKind::method, [&] { decode_reconstruction(encode_reconstruction(sent)); }),
              HasSubstr("malformed data"));
}

}  // namespace
}  // namespace aqbench
