#pragma once
// The header of a PLY file: which elements it has and how they are stored.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/cloud/ply.h"

namespace aqbench {

// The scalar types of PLY.
enum class PlyScalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

// Returns the size of a value, bytes.
std::size_t ply_scalar_size(PlyScalar type);

// Returns whether the type is one of the six integer types.
bool ply_scalar_is_integer(PlyScalar type);

// One property of an element: a scalar, or a list of scalars.
struct PlyProperty {
  std::string name;
  PlyScalar type{};  // of the value, or of each list item
  bool is_list = false;
  PlyScalar count_type{};  // lists only; always an integer type
};

// An element: `count` records of the same properties.
struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;  // names are unique

  // Returns the index in `properties` of the property of that name, -1 if there is none.
  int find(std::string_view property) const;
};

// All that a header says.
struct PlyHeader {
  PlyFormat format{};
  std::vector<PlyElement> elements;  // names are unique
  std::size_t data_offset = 0;       // bytes before the data
  std::size_t lines = 0;             // header lines, `end_header` included
  char line_end = '\n';              // '\r' in files of old Macs
};

// Parses the header at the start of `bytes`. Throws Error(input) "NAME: line 4: ..." for anything that is not
// a PLY 1.0 header.
PlyHeader parse_ply_header(std::string_view bytes, const std::string& name);

}  // namespace aqbench
