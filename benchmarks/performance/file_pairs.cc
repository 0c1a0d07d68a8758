// Files: PLY clouds beside Open3D's reader and beside the bare bytes.

#include <open3d/geometry/PointCloud.h>
#include <open3d/io/PointCloudIO.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/performance/pair.h"
#include "core/random.h"
#include "core/scratch_folder.h"
#include "scenes/cloud/ply.h"

namespace aqbench {
namespace {

constexpr double kFileBytesPerPoint = 12, kVec3Bytes = 24;

// A binary file of single-precision positions.
std::string cloud_file(std::size_t points) {
  static const ScratchFolder folder;
  const std::string path = folder.path() / (std::to_string(points) + ".ply");
  std::vector<float> numbers;
  for (std::size_t i = 0; i < points; ++i) {
    const auto [x, y] = uniform01_pair({1, RandomStream::surface_position}, i);
    for (const double number : {x, y, 0.1 * (x + y)}) numbers.push_back(static_cast<float>(number));
  }
  std::ofstream file(path, std::ios::binary);
  file << "ply\nformat binary_little_endian 1.0\nelement vertex " << points
       << "\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  require(static_cast<bool>(file), "the cloud cannot be written");
  return path;
}

struct ReadWork {
  std::string path;
  std::size_t points;
  std::vector<Vec3> ours = {};
  open3d::geometry::PointCloud theirs = {};
  std::vector<char> bytes = {};

  void run_ours() { ours = read_ply(path).cloud.points_m; }

  void read_bytes() {
    std::FILE* const file = std::fopen(path.c_str(), "rb");
    require(file != nullptr, "the cloud cannot be opened");
    std::vector<char> fresh(points * static_cast<std::size_t>(kFileBytesPerPoint));
    require(std::fread(fresh.data(), 1, fresh.size(), file) == fresh.size(), "the cloud cannot be read");
    std::fclose(file);
    bytes.swap(fresh);
  }

  double bytes_moved() const { return (kFileBytesPerPoint + kVec3Bytes) * static_cast<double>(points); }
};

Pair open3d_pair(std::size_t points) {
  const auto work = std::make_shared<ReadWork>(ReadWork{cloud_file(points), points});
  return {[work] { work->run_ours(); },
          [work] { require(open3d::io::ReadPointCloud(work->path, work->theirs), "Open3D cannot read it"); },
          [work] { require(work->ours == work->theirs.points_, "the points differ"); }, 0,
          work->bytes_moved()};
}

Pair bytes_pair(std::size_t points) {
  const auto work = std::make_shared<ReadWork>(ReadWork{cloud_file(points), points});
  return {[work] { work->run_ours(); }, [work] { work->read_bytes(); }, {}, 0, work->bytes_moved()};
}

}  // namespace

void add_file_pairs() {
  const std::string unequal = "ours checks header, counts and file size; same points";
  add_pair({"ply_read_1M", "binary PLY, 1 M points, 12 MB", "Open3D ReadPointCloud", unequal},
           [] { return open3d_pair(1'000'000); });
  add_pair({"ply_read_10M", "binary PLY, 10 M points, 120 MB", "Open3D ReadPointCloud", unequal},
           [] { return open3d_pair(10'000'000); });
  add_pair({"ply_read_bytes", "binary PLY, 10 M points, 120 MB", "fread of the bytes",
            "ours converts to double and checks; the peer copies bytes alone"},
           [] { return bytes_pair(10'000'000); });
}

}  // namespace aqbench
