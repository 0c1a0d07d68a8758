#pragma once
// Errors of a calibration that depend on each other, by their covariance.

#include <Eigen/Core>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/parameters.h"

namespace aqbench {

// The errors of a covariance, as indices of the parameters that may have one, and its symmetric square root:
// that times independent standard normals is a draw, in the units of the parameters.
struct CovarianceRoot {
  std::vector<std::size_t> errors;
  Eigen::MatrixXd root;
};

// Reads {"parameters": [names], "units": [a unit of each], "matrix": [rows]}: elements of the matrix are in
// the product of two units. A unit is that of the parameter, or another one of length in place of m. Throws
// Error(input) naming file and field for an unknown or repeated name, another unit, and a matrix of another
// size, one that is not symmetric (to 1e-9 of the standard deviations), or not positive semidefinite (to 1e-9
// of the correlations).
CovarianceRoot read_covariance(const std::filesystem::path& file,
                               const std::vector<ParameterSpec>& parameters);

}  // namespace aqbench
