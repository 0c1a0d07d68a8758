#include "scenes/cloud/ply_blocks.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scenes/cloud/ply_header.h"
#include "scenes/cloud/ply_source.h"
#include "scenes/cloud/record_blocks.h"

namespace aqbench {
namespace {

constexpr std::size_t kPlyHeaderBytes = std::size_t{1} << 16;  // at most, of a header

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

// Returns the layout of a file that can be read in blocks; else nullopt.
std::optional<RecordLayout> layout_of(const PlyHeader& header, std::uint64_t file_bytes) {
  if (header.format == PlyFormat::ascii) return std::nullopt;
  RecordLayout layout;
  layout.unit_normals = true;
  layout.swap = swaps_ply_bytes(header.format);
  bool found = false;
  std::uint64_t place = header.data_offset;
  for (const PlyElement& element : header.elements) {
    if (element.count == 0) continue;
    if (element.name == "face") return std::nullopt;
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

}  // namespace

std::shared_ptr<const CloudBlocks> open_ply_blocks(const std::filesystem::path& path,
                                                   std::uint64_t at_least) {
  OpenFile file = open_file(path);
  const std::string start = read_part(file, 0, kPlyHeaderBytes);
  if (!start.starts_with("ply") || start.find("end_header") == std::string::npos) return nullptr;
  const auto layout = layout_of(parse_ply_header(start, file.name), file.bytes);
  if (!layout || layout->points < at_least) return nullptr;
  return record_blocks(std::move(file), *layout);
}

}  // namespace aqbench
