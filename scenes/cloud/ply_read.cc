#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/files.h"
#include "core/parallel.h"
#include "scenes/cloud/ply_source.h"
#include "scenes/cloud/ply_vertices.h"
#include "scenes/triangles/faces.h"

namespace aqbench {
namespace {

// Returns the smallest number of bytes that a record can take.
std::uint64_t least_record_size(const PlyElement& element, PlyFormat format) {
  std::uint64_t size = 0;
  for (const PlyProperty& property : element.properties)
    size += format == PlyFormat::ascii
                ? 2  // a digit and a separator
                : ply_scalar_size(property.is_list ? property.count_type : property.type);
  return size;
}

// Checks the count in the header against the size of the file, before any memory is allocated.
void check_promise(const std::string& name, const PlyElement& element, PlyFormat format,
                   std::uint64_t bytes_left) {
  if (element.count == 0) return;
  const std::uint64_t size = least_record_size(element, format);
  if (size == 0) fail_ply(name, "element {} has no properties", element.name);
  const std::uint64_t slack = format == PlyFormat::ascii ? 1 : 0;  // the very last separator may be missing
  if (element.count > (bytes_left + slack) / size)
    fail_ply(name, "the header promises {} {} records of at least {} bytes, but {} bytes are left",
             element.count, element.name, size, bytes_left);
}

template <class Source>
std::uint64_t list_length(Source& source, const PlyProperty& property) {
  const double length = source.number(property, property.count_type);
  if (length < 0) source.fail(property, fmt::format("a list of {} items", length));
  return static_cast<std::uint64_t>(length);
}

template <class Source>
void skip_property(Source& source, const PlyProperty& property) {
  if (property.is_list) {
    source.skip_items(property, list_length(source, property));
  } else {
    source.skip_items(property, 1);
  }
}

// A binary file of which whole records can be taken.
class PlyRecordSource final : public PlyBinarySource {
 public:
  PlyRecordSource(std::string_view bytes, const PlyHeader& header, const std::string& name)
      : PlyBinarySource(bytes, header, name), swap_(swaps_ply_bytes(header.format)) {}

  bool swaps() const { return swap_; }
  // Returns the next bytes, of which there must be as many, and goes on behind them.
  const char* take(std::size_t bytes) { return std::exchange(position_, position_ + bytes); }

 private:
  bool swap_;
};

// Calls body(first, end) for ranges of records that stay in the cache, on all threads.
void for_parts(std::uint64_t records, std::size_t record_bytes,
               const std::function<void(std::size_t first, std::size_t end)>& body) {
  constexpr std::size_t kPartBytes = std::size_t{1} << 16;
  parallel_for(records, kPartBytes / std::max(record_bytes, std::size_t{1}) + 1, body);
}

// Reads records without lists, for which check_promise() has found enough bytes.
void take_records(PlyRecordSource& source, const PlyElement& element, const std::vector<PlyTarget>& targets) {
  const std::size_t record_bytes = least_record_size(element, PlyFormat::binary_little_endian);
  const char* const records = source.take(element.count * record_bytes);
  for_parts(element.count, record_bytes, [&](std::size_t first, std::size_t end) {
    store_ply_records(records + first * record_bytes, record_bytes, {first, end}, element, source.swaps(),
                      targets);
  });
}

template <class Source>
void read_records(Source& source, const PlyElement& element, const std::vector<PlyTarget>& targets) {
  if constexpr (std::is_same_v<Source, PlyRecordSource>)
    if (std::ranges::none_of(element.properties, &PlyProperty::is_list))
      return take_records(source, element, targets);
  for (std::uint64_t i = 0; i < element.count; ++i) {
    source.begin_record(element, i);
    for (std::size_t p = 0; p < targets.size(); ++p) {
      const PlyProperty& property = element.properties[p];
      const PlyTarget& target = targets[p];
      if (target.real != nullptr) {
        target.real[target.stride * i] = source.number(property, property.type);
      } else if (target.single != nullptr) {
        target.single[target.stride * i] = static_cast<float>(source.number(property, property.type));
      } else if (target.byte != nullptr) {
        target.byte[target.stride * i] = static_cast<std::uint8_t>(source.number(property, property.type));
      } else {
        skip_property(source, property);
      }
    }
    source.end_record();
  }
}

template <class Source>
void read_vertices(Source& source, const PlyElement& element, PointCloud& cloud) {
  std::vector<float> levels;
  const std::vector<PlyTarget> targets = ply_vertex_targets(element, cloud, levels, source.name());
  read_records(source, element, targets);
  finish_ply_vertices(cloud, levels);
}

// Takes a value of a list as an index of a vertex.
template <class Source>
std::uint32_t vertex_index(Source& source, const PlyProperty& property, double value,
                           std::uint64_t vertices) {
  if (value < 0 || value >= static_cast<double>(vertices))
    source.fail(property, fmt::format("vertex {} of {} does not exist", value, vertices));
  return static_cast<std::uint32_t>(value);
}

template <class Source>
void read_polygon(Source& source, const PlyProperty& property, std::uint64_t vertices,
                  std::vector<std::uint32_t>& corners, FaceList& faces) {
  const std::uint64_t length = list_length(source, property);
  if (length < 3) source.fail(property, fmt::format("a face of {} vertices", length));
  corners.clear();
  for (std::uint64_t i = 0; i < length; ++i)
    corners.push_back(vertex_index(source, property, source.number(property, property.type), vertices));
  faces.add(corners);
}

// Reads strips, each ended by -1 or the list: corners i, i + 1 and i + 2 are a triangle, every second one
// wound the other way. A triangle that names a vertex twice joins two strips and is none.
template <class Source>
void read_strips(Source& source, const PlyProperty& property, std::uint64_t vertices, FaceList& faces) {
  const std::uint64_t length = list_length(source, property);
  std::vector<std::uint32_t> strip;
  for (std::uint64_t i = 0; i <= length; ++i) {
    const double value = i < length ? source.number(property, property.type) : -1;
    if (value != -1) {
      strip.push_back(vertex_index(source, property, value, vertices));
      continue;
    }
    if (strip.size() == 1 || strip.size() == 2)
      source.fail(property, fmt::format("a strip of {} vertices", strip.size()));
    for (std::size_t k = 2; k < strip.size(); ++k) {
      Triangle corners = {strip[k - 2], strip[k - 1], strip[k]};
      if (k % 2 == 1) std::swap(corners[0], corners[1]);
      if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
        faces.add(corners);
    }
    strip.clear();
  }
}

// Returns the index of the property that lists the vertices of a face. Throws if there is none or it has
// another type.
std::size_t polygon_property(const PlyElement& face, const std::string& name) {
  int index = face.find("vertex_indices");
  if (index < 0) index = face.find("vertex_index");
  if (index < 0) fail_ply(name, "element {} has no property vertex_indices", face.name);
  const PlyProperty& property = face.properties[static_cast<std::size_t>(index)];
  if (!property.is_list || !ply_scalar_is_integer(property.type))
    fail_ply(name, "element {}: property {} is not a list of integers", face.name, property.name);
  return static_cast<std::size_t>(index);
}

template <class Source>
void read_faces(Source& source, const PlyElement& element, std::uint64_t vertices, FaceList& faces) {
  const std::size_t polygon = polygon_property(element, source.name());
  const bool are_strips = element.name != "face";
  faces.reserve(static_cast<std::size_t>(element.count));
  std::vector<std::uint32_t> corners;
  for (std::uint64_t i = 0; i < element.count; ++i) {
    source.begin_record(element, i);
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const PlyProperty& property = element.properties[p];
      if (p != polygon)
        skip_property(source, property);
      else if (are_strips)
        read_strips(source, property, vertices, faces);
      else
        read_polygon(source, property, vertices, corners, faces);
    }
    source.end_record();
  }
}

template <class Source>
void skip_element(Source& source, const PlyElement& element) {
  for (std::uint64_t i = 0; i < element.count; ++i) {
    source.begin_record(element, i);
    for (const PlyProperty& property : element.properties) skip_property(source, property);
    source.end_record();
  }
}

template <class Source>
GeometryFile read_elements(Source source, const PlyHeader& header) {
  const auto vertex = std::ranges::find(header.elements, "vertex", &PlyElement::name);
  if (vertex == header.elements.end()) fail_ply(source.name(), "no element vertex");
  GeometryFile file;
  FaceList faces;
  bool has_faces = false;
  for (const PlyElement& element : header.elements) {
    check_promise(source.name(), element, header.format, source.bytes_left());
    if (element.name == "vertex") {
      read_vertices(source, element, file.cloud);
    } else if ((element.name == "face" || element.name == "tristrips") && element.count > 0) {
      has_faces = true;
      read_faces(source, element, vertex->count, faces);
    } else {
      skip_element(source, element);
    }
  }
  source.expect_end();
  const std::vector<Vec3>& vertices = file.cloud.points_m;
  if (has_faces) file.mesh = TriangleMesh{vertices, cut_faces(std::move(faces), vertices, source.name())};
  return file;
}

// Reads the vertices of a binary file part by part, so that its bytes are never held. Returns nothing for a
// file that has anything else to read, or is wrong.
std::optional<PointCloud> read_in_parts(const std::filesystem::path& path) {
  const OpenFile file = open_file(path);
  const std::optional<PlyHeader> header = read_ply_header(file);
  if (!header || header->format == PlyFormat::ascii) return std::nullopt;
  const auto layout = ply_vertex_layout(*header, file.bytes);
  if (!layout) return std::nullopt;
  const PlyElement& vertex = *std::ranges::find(header->elements, "vertex", &PlyElement::name);
  PointCloud cloud;
  std::vector<float> levels;
  const std::vector<PlyTarget> targets = ply_vertex_targets(vertex, cloud, levels, file.name);
  for_parts(layout->points, layout->record_bytes, [&](std::size_t first, std::size_t end) {
    const std::size_t bytes = (end - first) * layout->record_bytes;
    const std::string part = read_part(file, layout->first_byte + first * layout->record_bytes, bytes);
    if (part.size() != bytes) fail_ply(file.name, "the file shrank while it was read");
    store_ply_records(part.data(), layout->record_bytes, {first, end}, vertex, layout->swap, targets);
  });
  require_unchanged(file);
  finish_ply_vertices(cloud, levels);
  return cloud;
}

}  // namespace

GeometryFile read_ply(const std::filesystem::path& path) {
  if (std::optional<PointCloud> cloud = read_in_parts(path)) return {std::move(*cloud), std::nullopt};
  const std::string name = path.string();
  const std::string bytes = read_file(path);
  const PlyHeader header = parse_ply_header(bytes, name);
  if (header.format == PlyFormat::ascii) return read_elements(PlyAsciiSource(bytes, header, name), header);
  return read_elements(PlyRecordSource(bytes, header, name), header);
}

}  // namespace aqbench
