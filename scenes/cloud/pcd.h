#pragma once
// Reads PCD files of the Point Cloud Library: ascii, binary and binary_compressed.
// Format: https://pointclouds.org/documentation/tutorials/pcd_file_format.html

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// What a PCD file holds.
struct PcdFile {
  PointCloud cloud;
  std::optional<Vec3> viewpoint;  // where the sensor was, in the file's unit; unset where the header has none
};

// Reads the fields x, y, z, and where present normal_x, normal_y, normal_z; other fields are skipped, and a
// field of COUNT 0 is none. Zeros and line ends may follow the data. `name` stands in errors for the file.
// Throws Error(input) for a header that does not parse, data of another length than it says, and compressed
// data that is damaged.
PcdFile read_pcd(std::string_view bytes, const std::string& name);

// Returns whether a file that begins with these bytes is a PCD file; its name does not count.
bool is_pcd(std::string_view start);

// Opens a binary PCD file of at least `at_least` points, so that its points are read when they are needed.
// Returns null for any other file, one whose coordinates or normals are whole numbers of 8 bytes included.
// Throws as read_pcd() does, and Error(io) if the file cannot be read.
std::shared_ptr<const CloudBlocks> open_pcd_blocks(const std::filesystem::path& path, std::uint64_t at_least);

// Unpacks LZF data (Lehmann, liblzf) of `size` bytes. Returns nullopt if the data is damaged or gives another
// number of bytes.
std::optional<std::string> unpack_lzf(std::string_view packed, std::size_t size);

}  // namespace aqbench
