// Every reader on files cut short at every byte and on files with bytes changed at random: a valid result or
// an Error, never a crash, a hang or an allocation out of proportion to the file.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/random.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/crop.h"
#include "scenes/cloud/npy.h"
#include "scenes/cloud/transform.h"
#include "scenes/images/images.h"
#include "tests/core/allocation_watch.h"
#include "tests/scenes/cloud/ply_forms.h"
#include "tests/scenes/images/plain_depth_files.h"
#include "tests/scenes/images/small_png.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

// Throws std::logic_error if what was read contradicts itself.
void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void check_cloud(const PointCloud& cloud) {
  require(cloud.normals.empty() || cloud.normals.size() == cloud.points_m.size(), "normals");
  require(cloud.confidence.empty() || cloud.confidence.size() == cloud.points_m.size(), "confidence");
}

void read_and_check_cloud(const std::filesystem::path& path) {
  const Reconstruction read = read_cloud_file(path);
  check_cloud(read.cloud);
  if (!read.mesh) return;
  require(!read.mesh->triangles.empty(), "triangles");
  for (const auto& triangle : read.mesh->triangles)
    for (const std::uint32_t index : triangle) require(index < read.mesh->vertices_m.size(), "index");
}

void read_and_check_npy(const std::filesystem::path& path) {
  const NpyArray array = read_npy(path);
  std::size_t count = 1;
  for (const std::size_t size : array.shape) count *= size;
  require(count == std::visit([](const auto& values) { return values.size(); }, array.values), "count");
}

void read_and_check_transform(const std::filesystem::path& path) {
  const Similarity read = read_similarity(path);
  require(read.matrix().allFinite() && read.scale > 0, "transform");
}

void read_and_check_crop(const std::filesystem::path& path) {
  Crop crop;
  add_crop(crop, path.string());
  require(crop.parts.size() == 1, "parts");
}

void read_and_check_centres(const std::filesystem::path& path) {
  for (const CameraCentre& camera : read_camera_centres(path)) require(camera.centre.allFinite(), "centre");
}

void read_and_check_depths(const std::filesystem::path& path) {
  const DepthImage image = read_depth_image(path);
  require(
      image.values.size() == static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height),
      "depths");
}

struct Seed {
  std::string file_name;
  std::string bytes;
  void (*read)(const std::filesystem::path&);
  bool whole_or_error;  // no proper beginning of the file may be read without an Error
};

std::string ply_with_everything(const std::string& format, const std::string& data) {
  return "ply\nformat " + format +
         " 1.0\ncomment c\nelement vertex 3\nproperty float x\nproperty list uchar short l\n"
         "property double y\nproperty int z\nproperty float nx\nproperty float ny\nproperty float nz\n"
         "property uchar quality\nelement face 1\nproperty list uchar ushort vertex_index\n"
         "element other 1\nproperty list uint double v\nend_header\n" +
         data;
}

std::string binary_everything() {
  std::string data;
  for (int vertex = 0; vertex < 3; ++vertex) {
    data += std::string("\0\0\x80\x3f\x02\x01\0\x02\0", 9);
    data += std::string("\0\0\0\0\0\0\xf0\x3f\x07\0\0\0", 12);
    data += std::string("\0\0\0\0\0\0\0\0\0\0\x80\xbf\xff", 13);
  }
  data += std::string("\x03\0\0\x01\0\x02\0", 7);
  data += std::string("\x01\0\0\0\0\0\0\0\0\0\xf0\x3f", 12);
  return ply_with_everything("binary_little_endian", data);
}

std::string text_stl() {
  return "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
         "0\nendloop\nendfacet\n"
         "endsolid a\n";
}

std::string binary_stl() {
  std::string bytes(80, ' ');
  bytes += std::string("\x01\0\0\0", 4);
  const float values[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
  bytes.append(reinterpret_cast<const char*>(values), sizeof values);
  return bytes + std::string(2, '\0');
}

// Two points with an intensity between their coordinates.
std::string pcd_with_data(const std::string& data) {
  std::string bytes =
      "# .PCD v0.7\nVERSION 0.7\nFIELDS x intensity y z\nSIZE 4 2 4 8\nTYPE F U F F\nCOUNT 1 1 1 1\nWIDTH 2\n"
      "HEIGHT 1\nVIEWPOINT 0 0 1 1 0 0 0\nPOINTS 2\nDATA " +
      data + "\n";
  if (data == "ascii") return bytes + "1 7 2 3\n4 8 5 6\n";
  const auto append = [&](std::string& to, auto value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  std::string values;
  if (data == "binary") {
    for (const float first : {1.0F, 4.0F}) {
      append(values, first);
      append(values, std::uint16_t{7});
      append(values, first + 1);
      append(values, static_cast<double>(first) + 2);
    }
    return bytes + values;
  }
  for (const float x : {1.0F, 4.0F}) append(values, x);
  for (const std::uint16_t i : {7, 8}) append(values, i);
  for (const float y : {2.0F, 5.0F}) append(values, y);
  for (const double z : {3.0, 6.0}) append(values, z);
  // LZF: 32 bytes as they are, then four, where a reference two bytes back would be another way.
  const std::string packed =
      std::string(1, 31) + values.substr(0, 32) + std::string(1, 3) + values.substr(32);
  append(bytes, static_cast<std::uint32_t>(packed.size()));
  append(bytes, static_cast<std::uint32_t>(values.size()));
  return bytes + packed;
}

std::vector<Seed> seeds(const TemporaryDirectory& directory) {
  PointCloud cloud;
  cloud.points_m = {{0.1, 0.2, 1.178}, {-0.1, 0, 1.18}};
  cloud.normals = {{0, 0, -1}, {0, 0.6, -0.8}};
  cloud.confidence = {0.5f, 1.0f};
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 1, 2}, {1, 3, 2}}};
  std::vector<Seed> result;
  for (const PlyFormat format :
       {PlyFormat::ascii, PlyFormat::binary_little_endian, PlyFormat::binary_big_endian}) {
    const bool binary = format != PlyFormat::ascii;
    result.push_back({"a.ply", ply_bytes({format, binary}, cloud), read_and_check_cloud, binary});
    result.push_back({"a.ply", ply_bytes({format, !binary}, {mesh.vertices_m, {}, {}}, mesh),
                      read_and_check_cloud, binary});
  }
  result.push_back({"a.ply", binary_everything(), read_and_check_cloud, true});
  result.push_back({"a.ply",
                    ply_with_everything(
                        "ascii", "1 2 3 4 1 7 0 0 -1 255\n1 0 2 3 0 0 1 0\n1 0 2 3 0 1 0 9\n3 0 1 2\n1 5\n"),
                    read_and_check_cloud, false});
  result.push_back({"a.xyz", "# x y z\n1 2 3 4\n5 6 7 8\n", read_and_check_cloud, false});
  result.push_back({"a.pts", "2\n1, 2, 3\n5, 6, nan\n", read_and_check_cloud, false});
  result.push_back({"a.csv", "x;y;nx;z;ny;nz\n1;2;0;3;0;1\n5;6;0;7;1;0\n", read_and_check_cloud, false});
  result.push_back({"a.obj", "o a\nv 0 0 0 1 1 1\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1/1/1 2//1 3\nf -1 -2 -3\n",
                    read_and_check_cloud, false});
  result.push_back({"a.off", "NOFF # n\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2 255 0 0\n",
                    read_and_check_cloud, false});
  result.push_back({"a.stl", text_stl(), read_and_check_cloud, false});
  result.push_back({"b.stl", binary_stl(), read_and_check_cloud, true});
  for (const char* data : {"ascii", "binary", "binary_compressed"})
    result.push_back({"a.pcd", pcd_with_data(data), read_and_check_cloud, std::string(data) != "ascii"});
  result.push_back({"a.txt", "0 -1 0 1\n1 0 0 2\n0 0 1 3.5e-1\n0 0 0 1\n", read_and_check_transform, false});
  result.push_back({"a.json",
                    "{\"orthogonal_axis\": \"Z\", \"axis_min\": 0, \"axis_max\": 1, \"bounding_polygon\": "
                    "[[0,0,0],[1,0,0],[0,1,0]]}",
                    read_and_check_crop, true});
  result.push_back({"images.txt", "# c\n1 1 0 0 0 0.5 0 1 1 a.png\n1 2 3\n2 0 1 0 0 0.5 0 1 1 b.png\n\n",
                    read_and_check_centres, false});
  result.push_back(
      {"d.pfm", std::string("Pf\n2 1\n-1\n") + std::string(8, '\x3f'), read_and_check_depths, true});
  result.push_back({"d.bin", std::string("2&1&1&") + std::string(8, '\x3f'), read_and_check_depths, true});
  result.push_back({"d.png", small_png(), read_and_check_depths, true});
  const std::string row(8, '\x3f');
  result.push_back({"d.exr", plain_exr(exr_channel("Z", 2), {row, row}), read_and_check_depths, true});
  result.push_back({"d.tif", plain_tiff({}, row + row), read_and_check_depths, false});
  result.push_back({"t.log", "0 0 1\n1 0 0 1\n0 1 0 2\n0 0 1 3\n0 0 0 1\n", read_and_check_centres, false});
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const std::vector<std::size_t> shape{2, 3};
  write_npy(directory / "values.npy", std::span<const float>(values), shape);
  result.push_back({"a.npy", read_file(directory / "values.npy"), read_and_check_npy, true});
  result.push_back({"a.npy", read_file(directory / "values.npy"), read_and_check_cloud, true});
  result.push_back({"a.json", "{\"matrix\": [[0,-1,0,1],[1,0,0,2],[0,0,1,3.5e-1],[0,0,0,1]]}",
                    read_and_check_transform, true});
  return result;
}

class ReaderFuzz : public testing::Test {
 protected:
  // True if the bytes were read without an Error. Any other exception, or memory out of proportion, fails the
  // test.
  bool expect_value_or_error(const Seed& seed, const std::string& bytes) {
    const auto path = directory_.file(seed.file_name, bytes);
    reset_largest_allocation();
    bool read = true;
    try {
      seed.read(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      read = false;
    } catch (const std::exception& error) {
      ADD_FAILURE() << seed.file_name << ": " << error.what() << "\n" << testing::PrintToString(bytes);
    }
    std::filesystem::remove(path);  // writing over a file would wait for the disk each time
    // 512 KiB for what does not depend on the file: buffers, messages, the JSON parser.
    EXPECT_LE(largest_allocation(), (512 << 10) + 24 * bytes.size()) << testing::PrintToString(bytes);
    return read;
  }

  TemporaryDirectory directory_;
};

TEST_F(ReaderFuzz, SeedsThemselvesAreRead) {
  for (const Seed& seed : seeds(directory_))
    EXPECT_TRUE(expect_value_or_error(seed, seed.bytes)) << seed.bytes;
}

TEST_F(ReaderFuzz, CutShortAtEveryByte) {
  for (const Seed& seed : seeds(directory_))
    for (std::size_t size = 0; size < seed.bytes.size(); ++size) {
      const bool read = expect_value_or_error(seed, seed.bytes.substr(0, size));
      EXPECT_FALSE(read && seed.whole_or_error)
          << seed.file_name << " cut to " << size << " of " << seed.bytes.size();
    }
}

TEST_F(ReaderFuzz, EveryByteChanged) {
  std::uint64_t draw = 0;
  for (const Seed& seed : seeds(directory_))
    for (std::size_t at = 0; at < seed.bytes.size(); ++at)
      for (const int kind : {0, 1, 2}) {
        std::string bytes = seed.bytes;
        const double random = uniform01({1, RandomStream::case_order}, draw++);
        if (kind == 0) bytes[at] = static_cast<char>(random * 256);
        if (kind == 1) bytes[at] = static_cast<char>(bytes[at] ^ (1 << static_cast<int>(random * 8)));
        if (kind == 2) bytes[at] = "0123456789-+.e \n\r\t\0\xff"[static_cast<int>(random * 20)];
        expect_value_or_error(seed, bytes);
      }
}

TEST_F(ReaderFuzz, PiecesLostRepeatedAndExchanged) {
  const auto files = seeds(directory_);
  for (std::uint64_t draw = 0; draw < 4000; ++draw) {
    const Seed& seed = files[draw % files.size()];
    const Seed& other = files[(draw / 7) % files.size()];
    const auto pick = [&](std::uint32_t slot, std::size_t below) {
      return static_cast<std::size_t>(uniform01({2, RandomStream::case_order}, draw, slot) *
                                      static_cast<double>(below));
    };
    const std::size_t at = pick(0, seed.bytes.size());
    const std::size_t length = pick(1, seed.bytes.size() - at) / 4;
    std::string bytes = seed.bytes;
    if (draw % 3 == 0) {
      bytes.erase(at, length);
    } else if (draw % 3 == 1) {
      bytes.insert(at, bytes.substr(at, length));
    } else {
      bytes.replace(at, length, other.bytes.substr(pick(2, other.bytes.size()), length));
    }
    expect_value_or_error(seed, bytes);
  }
}

}  // namespace
}  // namespace aqbench
