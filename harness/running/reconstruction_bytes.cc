#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/error.h"
#include "core/files.h"
#include "harness/running/method_process.h"

namespace aqbench {
namespace {

constexpr off_t kMaxOutputBytes = off_t{64} << 30;

[[noreturn]] void refuse_bytes() { throw method_error("its process returned malformed data"); }

using Effective = std::pair<std::string, double>;

template <class T, class Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

template <class T>
concept IsList = requires {
  typename T::allocator_type;
};  // also a text

template <class T>
concept IsOptional = requires(T value) {
  value.has_value();
};

// Writes the parts of a reconstruction as bytes of this machine or, where kReads, reads them.
template <bool kReads>
class Parts {
 public:
  explicit Parts(int descriptor, std::uint64_t left = 0) : descriptor_(descriptor), left_(left) {}

  template <Is<Reconstruction> Whole>
  void part(Whole& whole) {
    auto& cloud = whole.cloud;
    each(cloud.points_m, cloud.normals, cloud.confidence, cloud.colours, whole.mesh, whole.depth_maps,
         whole.unfiltered_depth_maps, whole.effective, whole.own_cameras);
  }
  bool has_more() const { return left_ > 0; }

 private:
  template <class... Values>
  void each(Values&... values) {
    (part(values), ...);
  }
  template <class Value>
  void part(Value& value) {  // a number or a matrix
    raw(&value, 1);
  }
  template <Is<TriangleMesh> Mesh>
  void part(Mesh& mesh) {
    each(mesh.vertices_m, mesh.triangles);
  }
  template <Is<DepthMap> Map>
  void part(Map& map) {
    each(map.camera, map.width, map.height, map.depth_along_ray_m, map.confidence);
  }
  template <Is<Effective> Named>
  void part(Named& named) {
    each(named.first, named.second);
  }
  template <Is<OwnCamera> Camera>
  void part(Camera& camera) {
    each(camera.name, camera.own_from_camera, camera.centre, camera.intrinsics, camera.distortion);
  }
  template <IsOptional Optional>
  void part(Optional& value) {
    std::uint8_t has = value.has_value() ? 1 : 0;
    part(has);
    if constexpr (kReads)
      if (has != 0) value.emplace();
    if (has != 0) part(*value);
  }
  template <IsList List>
  void part(List& list) {
    using Element = typename List::value_type;
    std::uint64_t size = list.size();
    part(size);
    if constexpr (Is<Element, DepthMap> || Is<Element, Effective> || Is<Element, OwnCamera>) {
      if constexpr (kReads)
        for (; size > 0; --size) part(list.emplace_back());  // ends with the bytes
      else
        for (auto& element : list) part(element);
    } else {
      if constexpr (kReads) {
        if (size > left_ / sizeof(Element)) refuse_bytes();
        list.resize(size);
      }
      raw(list.data(), size);
    }
  }
  template <class Value>
  void raw(Value* values, std::size_t count) {
    std::size_t bytes = count * sizeof(Value);
    if constexpr (kReads) {
      if (bytes > left_) refuse_bytes();
      left_ -= bytes;
      for (auto* at = reinterpret_cast<char*>(values); bytes > 0;) {
        const ssize_t got = ::read(descriptor_, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) refuse_bytes();
        at += got;
        bytes -= static_cast<std::size_t>(got);
      }
    } else if (const int error = write_all(descriptor_, {reinterpret_cast<const char*>(values), bytes})) {
      throw_file_error("output of a method", error);
    }
  }

  int descriptor_;
  std::uint64_t left_;  // bytes to read
};

bool is_whole(const DepthMap& map) {
  constexpr int kLargest_px = 1 << 20;
  if (map.width < 0 || map.height < 0 || map.width > kLargest_px || map.height > kLargest_px) return false;
  const std::size_t pixels = static_cast<std::size_t>(map.width) * static_cast<std::size_t>(map.height);
  return map.depth_along_ray_m.size() == pixels &&
         (map.confidence.empty() || map.confidence.size() == pixels);
}

// A finite value with a name in the form of options: "window_px".
bool is_effective(const Effective& effective) {
  constexpr std::size_t kMaxName = 64;
  const auto& [name, value] = effective;
  return std::isfinite(value) && !name.empty() && name.size() <= kMaxName &&
         std::ranges::all_of(
             name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

bool is_sound(const Reconstruction& read) {
  constexpr std::size_t kMaxEffectiveValues = 64;
  const std::size_t points = read.cloud.points_m.size(), colours = read.cloud.colours.size();
  const auto is_known = [&](std::uint32_t vertex) { return vertex < read.mesh->vertices_m.size(); };
  const auto is_known_triangle = [&](const auto& corners) { return std::ranges::all_of(corners, is_known); };
  return (colours == 0 || colours == points) &&
         (!read.mesh || std::ranges::all_of(read.mesh->triangles, is_known_triangle)) &&
         std::ranges::all_of(read.depth_maps, is_whole) &&
         std::ranges::all_of(read.unfiltered_depth_maps, is_whole) &&
         read.effective.size() <= kMaxEffectiveValues && std::ranges::all_of(read.effective, is_effective);
}

}  // namespace

void write_reconstruction(const Reconstruction& reconstruction, int descriptor) {
  Parts<false>(descriptor).part(reconstruction);
}

Reconstruction read_reconstruction(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || ::lseek(descriptor, 0, SEEK_SET) != 0)
    throw_file_error("output of a method", errno);
  // A length that no bytes stand behind would take memory here.
  if (status.st_size > kMaxOutputBytes || status.st_blocks * 512 < status.st_size) refuse_bytes();
  Parts<true> reader(descriptor, static_cast<std::uint64_t>(status.st_size));
  Reconstruction reconstruction;
  reader.part(reconstruction);
  if (reader.has_more() || !is_sound(reconstruction)) refuse_bytes();
  return reconstruction;
}

}  // namespace aqbench
