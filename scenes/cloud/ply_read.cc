#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/files.h"
#include "core/parallel.h"
#include "scenes/cloud/ply_source.h"
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

// Where the values of one property are stored: item i in the one of these that is set, at [stride * i]. If
// none is, they are skipped.
struct PlyTarget {
  double* real = nullptr;
  float* single = nullptr;
  std::uint8_t* byte = nullptr;
  std::size_t stride = 1;
};

const PlyProperty* find_scalar(const PlyElement& element, std::string_view property) {
  const int index = element.find(property);
  if (index < 0 || element.properties[static_cast<std::size_t>(index)].is_list) return nullptr;
  return &element.properties[static_cast<std::size_t>(index)];
}

// Makes room for colours in the cloud, or in `levels` for those of a floating type, and returns the targets
// of red, green and blue; all empty where there is none.
std::array<PlyTarget, 3> colour_targets(std::span<const PlyProperty* const, 3> properties, std::size_t count,
                                        PointCloud& cloud, std::vector<float>& levels) {
  const auto all = [&](auto is_kind) {
    return count > 0 && std::ranges::all_of(properties, [&](const PlyProperty* property) {
             return property != nullptr && is_kind(property->type);
           });
  };
  std::array<PlyTarget, 3> targets;
  if (all([](PlyScalar type) { return type == PlyScalar::uint8; })) {
    cloud.colours.resize(count);
    for (std::size_t i = 0; i < 3; ++i) targets[i] = {.byte = cloud.colours[0].data() + i, .stride = 3};
  } else if (all([](PlyScalar type) { return !ply_scalar_is_integer(type); })) {
    levels.resize(3 * count);
    for (std::size_t i = 0; i < 3; ++i) targets[i] = {.single = levels.data() + i, .stride = 3};
  }
  return targets;
}

// Returns colours of levels from 0 to 1, or from 0 to 255 where any is above 1; none where a level is
// neither.
std::vector<Rgb> colours_of(std::span<const float> levels) {
  float largest = 0;
  for (const float level : levels) {
    if (!(level >= 0 && level <= 255)) return {};
    largest = std::max(largest, level);
  }
  const float scale = largest > 1 ? 1 : 255;
  std::vector<Rgb> colours(levels.size() / 3);
  for (std::size_t i = 0; i < levels.size(); ++i)
    colours[i / 3][i % 3] = static_cast<std::uint8_t>(std::lround(scale * levels[i]));
  return colours;
}

// Makes the cloud's arrays as long as the element, and returns which property fills which array. Colours of a
// floating type go to `levels`.
std::vector<PlyTarget> vertex_targets(const PlyElement& element, PointCloud& cloud,
                                      std::vector<float>& levels, const std::string& name) {
  std::vector<PlyTarget> targets(element.properties.size());
  const auto slot = [&](const PlyProperty* property) -> PlyTarget& {
    return targets[static_cast<std::size_t>(property - element.properties.data())];
  };
  const auto count = static_cast<std::size_t>(element.count);
  cloud.points_m.resize(count);
  constexpr std::string_view kAxes[] = {"x", "y", "z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const PlyProperty* const property = find_scalar(element, kAxes[axis]);
    if (property == nullptr) fail_ply(name, "element vertex has no property {}", kAxes[axis]);
    if (count > 0) slot(property) = {.real = cloud.points_m[0].data() + axis, .stride = 3};
  }
  const PlyProperty* const normal[] = {find_scalar(element, "nx"), find_scalar(element, "ny"),
                                       find_scalar(element, "nz")};
  if (count > 0 && normal[0] != nullptr && normal[1] != nullptr && normal[2] != nullptr) {
    cloud.normals.resize(count);
    for (std::size_t axis = 0; axis < 3; ++axis)
      slot(normal[axis]) = {.real = cloud.normals[0].data() + axis, .stride = 3};
  }
  const PlyProperty* confidence = find_scalar(element, "confidence");
  if (confidence == nullptr) confidence = find_scalar(element, "quality");
  if (confidence != nullptr) {
    cloud.confidence.resize(count);
    slot(confidence) = {.single = cloud.confidence.data()};
  }
  const PlyProperty* const colour[] = {find_scalar(element, "red"), find_scalar(element, "green"),
                                       find_scalar(element, "blue")};
  const auto colours = colour_targets(colour, count, cloud, levels);
  for (std::size_t i = 0; i < 3; ++i)
    if (colours[i].byte != nullptr || colours[i].single != nullptr) slot(colour[i]) = colours[i];
  return targets;
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

// Stores one property of some records, which lie `record_bytes` apart. The compiler sees the usual type.
template <class Real>
void store_column(const char* from, std::size_t record_bytes, PlyScalar type, bool swap, std::size_t count,
                  Real* to, std::size_t stride) {
  if (type == PlyScalar::float32 && !swap) {
    for (std::size_t i = 0; i < count; ++i)
      to[stride * i] = static_cast<Real>(load_ply_scalar<float>(from + i * record_bytes, false));
    return;
  }
  for (std::size_t i = 0; i < count; ++i)
    to[stride * i] = static_cast<Real>(load_ply_value(type, from + i * record_bytes, swap));
}

// Reads records without lists, for which check_promise() has found enough bytes: one property of many records
// after the other, while these stay in the cache, by all threads.
void store_records(PlyRecordSource& source, const PlyElement& element,
                   const std::vector<PlyTarget>& targets) {
  constexpr std::size_t kRecordsAtOnce = 1024;
  const std::size_t record_bytes = least_record_size(element, PlyFormat::binary_little_endian);
  const char* const records = source.take(element.count * record_bytes);
  parallel_for(element.count, kRecordsAtOnce, [&](std::size_t first, std::size_t end) {
    const char* from = records + first * record_bytes;
    for (std::size_t p = 0; p < targets.size(); ++p) {
      const PlyScalar type = element.properties[p].type;
      const PlyTarget& to = targets[p];
      const std::size_t place = to.stride * first;
      const auto store = [&](auto* array) {
        if (array != nullptr)
          store_column(from, record_bytes, type, source.swaps(), end - first, array + place, to.stride);
      };
      store(to.real);
      store(to.single);
      store(to.byte);
      from += ply_scalar_size(type);
    }
  });
}

template <class Source>
void read_records(Source& source, const PlyElement& element, const std::vector<PlyTarget>& targets) {
  if constexpr (std::is_same_v<Source, PlyRecordSource>)
    if (std::ranges::none_of(element.properties, &PlyProperty::is_list))
      return store_records(source, element, targets);
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
  const std::vector<PlyTarget> targets = vertex_targets(element, cloud, levels, source.name());
  read_records(source, element, targets);
  make_unit_length(cloud.normals);
  if (!levels.empty()) cloud.colours = colours_of(levels);
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

}  // namespace

GeometryFile read_ply(const std::filesystem::path& path) {
  const std::string name = path.string();
  const std::string bytes = read_file(path);
  const PlyHeader header = parse_ply_header(bytes, name);
  if (header.format == PlyFormat::ascii) return read_elements(PlyAsciiSource(bytes, header, name), header);
  return read_elements(PlyRecordSource(bytes, header, name), header);
}

}  // namespace aqbench
