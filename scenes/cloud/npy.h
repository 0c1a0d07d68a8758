#pragma once
// Reads NumPy's .npy files of reals, whole numbers and bools, and writes those of float32 or float64; one to
// three dimensions. Format: NEP 1, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "scenes/cloud/cloud_blocks.h"

namespace aqbench {

// An array of one to three dimensions.
struct NpyArray {
  std::vector<std::size_t> shape;                                // 1 to 3 sizes, the last one varying fastest
  std::variant<std::vector<float>, std::vector<double>> values;  // as many as the product of `shape`
  bool is_whole = false;                                         // the file has integers or bools
};

// Reads an array; one in Fortran order is put into C order. Types that a float holds exactly come as floats,
// others as doubles. Throws Error(input) naming the file for other types (complex, text, records), any other
// number of dimensions, for a header that does not parse, and for a file that is longer or shorter than its
// header says.
NpyArray read_npy(const std::filesystem::path& path);

// Opens a .npy file of `at_least` points or more whose points lie one after the other: N x 3 or N x 6 (with
// normals) or H x W x 3 in C order. Its blocks hold what read_geometry_file() reads; each is read from the
// file when it is asked for. Returns nullptr for what has to be read whole or refused: fewer points, Fortran
// order, other shapes, and what is no .npy file. Throws as read_npy() does for a header that is wrong.
std::shared_ptr<const CloudBlocks> open_npy_blocks(const std::filesystem::path& path, std::uint64_t at_least);

// Write an array in version 1.0 of the format, for numpy.load; the file is afterwards whole or absent. Throw
// Error(input) unless `shape` has one to three sizes and values.size() is their product, and Error(io).
void write_npy(const std::filesystem::path& path, std::span<const float> values,
               std::span<const std::size_t> shape);
void write_npy(const std::filesystem::path& path, std::span<const double> values,
               std::span<const std::size_t> shape);

}  // namespace aqbench
