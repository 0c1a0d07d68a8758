#include "harness/running/reconstruction_bytes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxEffectiveValues = 64;

// In the form of options: "window_px".
bool is_effective_name(std::string_view name) {
  constexpr std::size_t kMaxName = 64;
  return !name.empty() && name.size() <= kMaxName && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

class Writer {
 public:
  template <class Element>
  void put(const std::vector<Element>& array) {
    put_count(array.size());
    bytes_.append(reinterpret_cast<const char*>(array.data()), array.size() * sizeof(Element));
  }
  void put_count(std::uint64_t count) { bytes_.append(reinterpret_cast<const char*>(&count), sizeof count); }
  void put(const std::vector<DepthMap>& maps) {
    put_count(maps.size());
    for (const DepthMap& map : maps) {
      put(std::vector<char>(map.camera.begin(), map.camera.end()));
      put_count(static_cast<std::uint64_t>(map.width));
      put_count(static_cast<std::uint64_t>(map.height));
      put(map.depth_along_ray_m);
      put(map.confidence);
    }
  }
  void put(const std::vector<std::pair<std::string, double>>& values) {
    put_count(values.size());
    for (const auto& [name, value] : values) {
      put(std::vector<char>(name.begin(), name.end()));
      put(std::vector<double>{value});
    }
  }
  void put(const std::vector<OwnCamera>& cameras) {
    put_count(cameras.size());
    for (const OwnCamera& camera : cameras) {
      put(std::vector<char>(camera.name.begin(), camera.name.end()));
      put(std::vector<Eigen::Matrix3d>{camera.own_from_camera});
      put(std::vector<Vec3>{camera.centre});
      put(camera.intrinsics ? std::vector{*camera.intrinsics} : std::vector<OwnIntrinsics>());
      put_count(camera.distortion ? 1 : 0);
      put(camera.distortion.value_or(std::vector<double>()));
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t count() {
    std::uint64_t count = 0;
    std::memcpy(&count, take(sizeof count).data(), sizeof count);
    return count;
  }
  template <class Element>
  void get(std::vector<Element>& array) {
    const std::uint64_t size = count();
    if (size > bytes_.size() / sizeof(Element)) fail();
    const std::string_view content = take(size * sizeof(Element));
    array.resize(size);
    if (size > 0) std::memcpy(static_cast<void*>(array.data()), content.data(), content.size());
  }
  int size_px() {
    constexpr std::uint64_t largest = 1 << 20;
    const std::uint64_t size = count();
    if (size > largest) fail();
    return static_cast<int>(size);
  }
  void get(std::vector<DepthMap>& maps) {
    for (std::uint64_t left = count(); left > 0; --left) {
      DepthMap map;
      std::vector<char> camera;
      get(camera);
      map.camera.assign(camera.begin(), camera.end());
      map.width = size_px();
      map.height = size_px();
      get(map.depth_along_ray_m);
      get(map.confidence);
      const std::size_t pixels = static_cast<std::size_t>(map.width) * static_cast<std::size_t>(map.height);
      if (map.depth_along_ray_m.size() != pixels ||
          (!map.confidence.empty() && map.confidence.size() != pixels))
        fail();
      maps.push_back(std::move(map));
    }
  }
  void get(std::vector<std::pair<std::string, double>>& values) {
    for (std::uint64_t left = count(); left > 0; --left) {
      std::vector<char> name;
      std::vector<double> value;
      get(name);
      get(value);
      if (value.size() != 1 || !std::isfinite(value.front()) ||
          !is_effective_name({name.data(), name.size()}) || values.size() == kMaxEffectiveValues)
        fail();
      values.emplace_back(std::string(name.begin(), name.end()), value.front());
    }
  }
  void get(std::vector<OwnCamera>& cameras) {
    for (std::uint64_t left = count(); left > 0; --left) {
      std::vector<char> name;
      std::vector<Eigen::Matrix3d> rotation;
      std::vector<Vec3> centre;
      get(name);
      get(rotation);
      get(centre);
      std::vector<OwnIntrinsics> intrinsics;
      get(intrinsics);
      if (rotation.size() != 1 || centre.size() != 1 || intrinsics.size() > 1) fail();
      cameras.push_back({std::string(name.begin(), name.end()), rotation.front(), centre.front(), {}});
      if (!intrinsics.empty()) cameras.back().intrinsics = intrinsics.front();
      const bool has_lens = count() != 0;
      std::vector<double> distortion;
      get(distortion);
      if (has_lens) cameras.back().distortion = std::move(distortion);
    }
  }
  void end() const {
    if (!bytes_.empty()) fail();
  }
  [[noreturn]] static void fail() { throw Error(ErrorKind::method, "its process returned malformed data"); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size()) fail();
    const std::string_view part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }

  std::string_view bytes_;
};

}  // namespace

std::string encode_reconstruction(const Reconstruction& reconstruction) {
  Writer writer;
  writer.put(reconstruction.cloud.points_m);
  writer.put(reconstruction.cloud.normals);
  writer.put(reconstruction.cloud.confidence);
  writer.put(reconstruction.cloud.colours);
  writer.put_count(reconstruction.mesh ? 1 : 0);
  if (reconstruction.mesh) {
    writer.put(reconstruction.mesh->vertices_m);
    writer.put(reconstruction.mesh->triangles);
  }
  writer.put(reconstruction.depth_maps);
  writer.put(reconstruction.unfiltered_depth_maps);
  writer.put(reconstruction.effective);
  writer.put(reconstruction.own_cameras);
  return writer.take();
}

Reconstruction decode_reconstruction(std::string_view bytes) {
  Reader reader(bytes);
  Reconstruction reconstruction;
  reader.get(reconstruction.cloud.points_m);
  reader.get(reconstruction.cloud.normals);
  reader.get(reconstruction.cloud.confidence);
  reader.get(reconstruction.cloud.colours);
  if (const std::size_t colours = reconstruction.cloud.colours.size();
      colours > 0 && colours != reconstruction.cloud.points_m.size())
    Reader::fail();
  if (reader.count() != 0) {
    TriangleMesh& mesh = reconstruction.mesh.emplace();
    reader.get(mesh.vertices_m);
    reader.get(mesh.triangles);
    for (const auto& triangle : mesh.triangles)
      for (const std::uint32_t vertex : triangle)
        if (vertex >= mesh.vertices_m.size()) Reader::fail();
  }
  reader.get(reconstruction.depth_maps);
  reader.get(reconstruction.unfiltered_depth_maps);
  reader.get(reconstruction.effective);
  reader.get(reconstruction.own_cameras);
  reader.end();
  return reconstruction;
}

}  // namespace aqbench
