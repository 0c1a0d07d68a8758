#pragma once
// Makes the cloud view of a case (harness/viewing/cloud_view.h) from its reconstruction and the truth.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "harness/viewing/cloud_view.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Size limits of a view.
struct ViewLimits {
  std::size_t points = 20'000;  // of the scored ones, evenly spread over the surface
  std::size_t holes = 5'000;
  // A larger mesh is simplified; 0: no mesh is kept, and the view only gives its number of triangles.
  std::size_t triangles = 0;
};

// The limits for a bundle that keeps its clouds: shows every point of most clouds.
inline constexpr ViewLimits kFullView = {.points = 1'000'000, .holes = 50'000, .triangles = 300'000};

// The samples of the surface that are holes, and their causes (metrics/diagnosis.h).
struct ViewHoles {
  std::vector<Vec3> positions_m;
  std::vector<std::uint8_t> causes;
};

// Returns the view of the points inside the patch, with their signed distances to the true surface. `rig` is
// nullptr if no images are used; `count_views` may be empty. The result is the same for any thread count.
// Throws Error(method) if the surface has no distance for a point.
CloudView make_view(const Reconstruction& reconstruction, const Surface& truth, const Rig* rig,
                    const ViewHoles& holes,
                    const std::function<std::vector<int>(std::span<const Vec3>)>& count_views,
                    const ViewLimits& limits = {});

// What is known of some points of a cloud without a truth, in one order.
struct UnscoredPoints {
  std::vector<std::uint32_t> index;  // into the cloud
  std::vector<double> agreement;     // of the images, -1 to 1; NaN: not known
  std::vector<int> views;            // images that show the place
};

// Returns the indices of at most `most` finite points, evenly spread, neighbours side by side.
std::vector<std::uint32_t> spread_points(const PointCloud& cloud, std::size_t most);

// Returns the view of these points, whose values are their agreement. Points more than 10 m from the middle
// of the cloud are left out and counted. The agreement of a mesh is not known. `rig` may be nullptr.
CloudView make_view_without_truth(const Reconstruction& reconstruction, const UnscoredPoints& points,
                                  const Rig* rig, const ViewLimits& limits = {});

// The remaining triangles, and how far vertices were moved.
struct SimplifiedMesh {
  std::vector<std::array<std::uint32_t, 3>> triangles;  // of the vertices of the original mesh
  double moved_m = 0;  // the largest distance between a vertex and its representative
};

// Returns the triangles with finite corners, at most `most` of them. If there are more, space is divided into
// cubes, the vertex nearest to the mean of its cube represents all in it, and degenerate and duplicate
// triangles are dropped. Tries cube sizes that grow by 1.15 until few enough triangles are left. The same
// mesh gives the same triangles.
SimplifiedMesh simplify_mesh(const TriangleMesh& mesh, std::size_t most);

}  // namespace aqbench
