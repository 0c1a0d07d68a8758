#pragma once
// Reads numbers of MATLAB files of level 5, as DTU publishes what was observed.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace aqbench {

// A numeric array of a file. Values vary fastest along the first dimension.
struct MatArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

// Reads the real numeric and logical arrays of a file by name, compressed or not. Other variables are left
// out. Throws Error(input) naming the file for another format (also version 7.3, which is HDF5), data that
// end too early, and more than 2^26 values.
std::map<std::string, MatArray> read_mat_file(const std::filesystem::path& file);

}  // namespace aqbench
