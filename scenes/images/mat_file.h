#pragma once
// Reads numbers of MATLAB files of level 5, as DTU publishes what was observed.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace aqbench {

// A numeric array of a file, in the bytes of the file: of most arrays they are much smaller than doubles.
struct MatArray {
  std::vector<std::size_t> shape;
  std::uint32_t type = 0;  // of an element of the file
  std::string bytes;

  std::size_t size() const;
  double operator[](std::size_t index) const;  // values vary fastest along the first dimension
};

// Reads the real numeric and logical arrays of a file by name, compressed or not. Other variables are left
// out. Takes no more memory than the data of an array say they have, and these say no more than can be packed
// into theirs. Throws Error(input) naming the file for another format (also version 7.3, which is HDF5), data
// that end too early, and more than 2^26 values.
std::map<std::string, MatArray> read_mat_file(const std::filesystem::path& file);

}  // namespace aqbench
