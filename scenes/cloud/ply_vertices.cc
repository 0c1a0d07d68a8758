#include "scenes/cloud/ply_vertices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace aqbench {
namespace {

// Three fields; unset unless all are there as scalars.
using PlyVectorFields = std::optional<std::array<RecordField, 3>>;

// Returns the bytes of a record; nullopt if they differ from record to record.
std::optional<std::size_t> fixed_record_bytes(const PlyElement& element) {
  std::size_t bytes = 0;
  for (const PlyProperty& property : element.properties) {
    if (property.is_list) return std::nullopt;
    bytes += ply_scalar_size(property.type);
  }
  return bytes;
}

PlyVectorFields vector_fields(const PlyElement& element, const std::array<std::string_view, 3>& names) {
  std::array<RecordField, 3> fields{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int index = element.find(names[axis]);
    if (index < 0) return std::nullopt;
    fields[axis].type = element.properties[static_cast<std::size_t>(index)].type;
    for (int before = 0; before < index; ++before)
      fields[axis].offset += ply_scalar_size(element.properties[static_cast<std::size_t>(before)].type);
  }
  return fields;
}

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

}  // namespace

std::optional<PlyHeader> read_ply_header(const OpenFile& file) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 16;
  const std::string start = read_part(file, 0, kMaxBytes);
  const auto holds = [&](const char* text) { return start.find(text) != std::string::npos; };
  if (!start.starts_with("ply") || !holds("end_header")) return std::nullopt;
  const bool ends = holds("\nend_header\n") || holds("\nend_header\r\n") || holds("\rend_header\r");
  if (start.size() == kMaxBytes && !ends) return std::nullopt;
  return parse_ply_header(start, file.name);
}

std::optional<RecordLayout> ply_vertex_layout(const PlyHeader& header, std::uint64_t file_bytes) {
  RecordLayout layout;
  layout.unit_normals = true;
  layout.swap = swaps_ply_bytes(header.format);
  bool found = false;
  std::uint64_t place = header.data_offset;
  for (const PlyElement& element : header.elements) {
    if (element.count == 0) continue;
    if (element.name == "face" || element.name == "tristrips") return std::nullopt;
    const auto record = fixed_record_bytes(element);
    if (!record || *record == 0 || element.count > (file_bytes - place) / *record) return std::nullopt;
    if (element.name == "vertex") {
      const PlyVectorFields position = vector_fields(element, {"x", "y", "z"});
      if (!position) return std::nullopt;
      found = true;
      layout.first_byte = place;
      layout.points = element.count;
      layout.record_bytes = *record;
      layout.position = *position;
      layout.normal = vector_fields(element, {"nx", "ny", "nz"});
    }
    place += element.count * *record;
  }
  if (!found || place != file_bytes) return std::nullopt;
  return layout;
}

std::vector<PlyTarget> ply_vertex_targets(const PlyElement& element, PointCloud& cloud,
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

void store_ply_records(const char* from, std::size_t record_bytes, PlyRange range, const PlyElement& element,
                       bool swap, const std::vector<PlyTarget>& targets) {
  for (std::size_t p = 0; p < targets.size(); ++p) {
    const PlyScalar type = element.properties[p].type;
    const PlyTarget& to = targets[p];
    const std::size_t place = to.stride * range.first;
    const auto store = [&](auto* array) {
      if (array != nullptr)
        store_column(from, record_bytes, type, swap, range.end - range.first, array + place, to.stride);
    };
    store(to.real);
    store(to.single);
    store(to.byte);
    from += ply_scalar_size(type);
  }
}

void finish_ply_vertices(PointCloud& cloud, const std::vector<float>& levels) {
  make_unit_length(cloud.normals);
  if (!levels.empty()) cloud.colours = colours_of(levels);
}

}  // namespace aqbench
