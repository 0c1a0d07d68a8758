#pragma once
// The vertices of a PLY file: where they lie in a binary file, and where their values are stored.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/ply_source.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns the header of a file; nullopt if it is no PLY file, or if no line "end_header" without blanks is
// among the first 64 KiB. Throws as parse_ply_header() does, and Error(io).
std::optional<PlyHeader> read_ply_header(const OpenFile& file);

// Returns where the vertices of a binary file lie; nullopt if any element has records of unequal length, if
// there are faces or strips, if the vertices have no x, y or z, or if the file has another size than its
// header says.
std::optional<RecordLayout> ply_vertex_layout(const PlyHeader& header, std::uint64_t file_bytes);

// Where the values of one property are stored: item i in the one of these that is set, at [stride * i]. If
// none is, they are skipped.
struct PlyTarget {
  double* real = nullptr;
  float* single = nullptr;
  std::uint8_t* byte = nullptr;
  std::size_t stride = 1;
};

// Makes the cloud's arrays as long as the element, and returns which property fills which array. Colours of a
// floating type go to `levels`. Throws Error(input) naming the file for an element without x, y or z.
std::vector<PlyTarget> ply_vertex_targets(const PlyElement& element, PointCloud& cloud,
                                          std::vector<float>& levels, const std::string& name);

// Some records in a row.
struct PlyRange {
  std::size_t first, end;
};

// Stores a range of records without lists, of which the first lies at `from`.
void store_ply_records(const char* from, std::size_t record_bytes, PlyRange range, const PlyElement& element,
                       bool swap, const std::vector<PlyTarget>& targets);

// Brings the normals of a cloud that has been read to unit length, and takes its colours from the levels.
void finish_ply_vertices(PointCloud& cloud, const std::vector<float>& levels);

}  // namespace aqbench
