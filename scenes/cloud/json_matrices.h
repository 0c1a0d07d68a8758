#pragma once
// Vectors and matrices in JSON.

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "core/json.h"

namespace aqbench {

// Returns the numbers of an array, `count` of them (0: any number). Throws Error(input) naming the place.
inline std::vector<double> numbers_at(const JsonPlace& place, std::size_t count = 0) {
  std::vector<double> numbers;
  for (const JsonPlace& element : place.elements()) numbers.push_back(element.number());
  if (count != 0 && numbers.size() != count) place.fail("must be {} numbers, got {}", count, numbers.size());
  return numbers;
}

// Returns a matrix, an array of rows. Throws Error(input) naming the place.
template <int kRows, int kColumns>
Eigen::Matrix<double, kRows, kColumns> matrix_at(const JsonPlace& place) {
  const std::vector<JsonPlace> rows = place.elements();
  if (rows.size() != kRows) place.fail("must be {} rows of {} numbers", kRows, kColumns);
  Eigen::Matrix<double, kRows, kColumns> matrix;
  for (int row = 0; row < kRows; ++row)
    matrix.row(row) =
        Eigen::RowVector<double, kColumns>(numbers_at(rows[static_cast<std::size_t>(row)], kColumns).data());
  return matrix;
}

}  // namespace aqbench
