#pragma once
// Reads NumPy's .npy files of reals, whole numbers and bools, with one to four dimensions, and writes those
// of float32 or float64 with one to three. Format: NEP 1,
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/text_points.h"

namespace aqbench {

// An array of one to four dimensions.
struct NpyArray {
  std::vector<std::size_t> shape;                                // 1 to 4 sizes, the last one varying fastest
  std::variant<std::vector<float>, std::vector<double>> values;  // as many as the product of `shape`
  bool is_whole = false;                                         // the file has integers or bools
};

// Reads an array; one in Fortran order is put into C order. Types that a float holds exactly come as floats,
// others as doubles. Throws Error(input) naming the file for other types (complex, text, records), any other
// number of dimensions, for a header that does not parse, and for a file that is longer or shorter than its
// header says.
NpyArray read_npy(const std::filesystem::path& path);

// Reads an array from the bytes of a .npy file. Errors name the file `name`.
NpyArray read_npy_bytes(std::string_view bytes, const std::string& name);

// Reads the arrays of a .npz file, stored (numpy.savez) or packed (savez_compressed), by their names without
// ".npy", each as bytes for read_npy_bytes(): an archive may also hold what that refuses. Throws Error(input)
// naming the file for what is no such archive, holds no array, is encrypted, cut short or damaged.
std::map<std::string, std::string> read_npz(const std::filesystem::path& path);

// Which values of a row of an array are those of a point.
struct NpyPoint {
  std::array<std::size_t, 3> at = {0, 1, 2};  // x, y and z
  std::size_t columns = 3;                    // of a row
  bool normal = false;                        // columns 3 to 5 are its normal
};

// Returns where the points of an array are: N x 3, N x 6 with normals, H x W x 3; with `columns` (from 0) of
// any N x M. Returns nullopt for any other shape. Throws Error(input) naming the file for a column that is
// not there.
std::optional<NpyPoint> npy_point(std::span<const std::size_t> shape, const TextColumns& columns,
                                  const std::string& name);

// Throws Error(input) naming the file unless all are of length 1, to a hundredth, or 0 or not finite, which
// stands for no normal: columns 4 to 6 of an array may be colours.
void require_unit_normals(std::span<const Vec3> normals, const std::string& name);

// Opens a .npy file of `at_least` points or more whose points lie one after the other, in C order. Its blocks
// hold what read_geometry_file() reads; each is read from the file when it is asked for. Returns nullptr for
// what has to be read whole or refused: fewer points, Fortran order, shapes without points, and what is no
// .npy file. Throws as read_npy() does for a header that is wrong, and as require_unit_normals().
std::shared_ptr<const CloudBlocks> open_npy_blocks(const std::filesystem::path& path, std::uint64_t at_least,
                                                   const TextColumns& columns = {});

// Write an array in version 1.0 of the format, for numpy.load; the file is afterwards whole or absent. Throw
// Error(input) unless `shape` has one to four sizes and values.size() is their product, and Error(io).
void write_npy(const std::filesystem::path& path, std::span<const float> values,
               std::span<const std::size_t> shape);
void write_npy(const std::filesystem::path& path, std::span<const double> values,
               std::span<const std::size_t> shape);

}  // namespace aqbench
