#pragma once
// Where the cells of a grid lie.

#include <algorithm>
#include <cstddef>

#include "metrics/change/change.h"

namespace aqbench {

inline double begin_of_column(const GridPlace& place, std::size_t column) {
  return column < place.columns ? place.x_min_m + static_cast<double>(column) * place.cell_m : place.x_max_m;
}
inline double begin_of_row(const GridPlace& place, std::size_t row) {
  return row < place.rows ? place.y_min_m + static_cast<double>(row) * place.cell_m : place.y_max_m;
}
inline Vec2 low_corner(const GridPlace& place, std::size_t cell) {
  return {begin_of_column(place, cell % place.columns), begin_of_row(place, cell / place.columns)};
}
inline Vec2 high_corner(const GridPlace& place, std::size_t cell) {
  return {begin_of_column(place, cell % place.columns + 1), begin_of_row(place, cell / place.columns + 1)};
}
inline Vec2 centre_of(const GridPlace& place, std::size_t cell) {
  return 0.5 * (low_corner(place, cell) + high_corner(place, cell));
}
inline double area_of_cell(const GridPlace& place, std::size_t cell) {
  return (high_corner(place, cell) - low_corner(place, cell)).prod();
}

// Returns the column or row of a coordinate on the ground, the last one for its end and beyond.
inline std::size_t place_along(double x, double min, double cell, std::size_t count) {
  const double place = (x - min) / cell;
  if (!(place > 0)) return 0;
  return place < static_cast<double>(count) ? static_cast<std::size_t>(place) : count - 1;
}

// Returns the cell over a place on the ground.
inline std::size_t cell_of(const GridPlace& place, const Vec2& at) {
  return place_along(at.y(), place.y_min_m, place.cell_m, place.rows) * place.columns +
         place_along(at.x(), place.x_min_m, place.cell_m, place.columns);
}

// Calls use(cell) for the cells around one, not for itself.
template <class Use>
void each_around(const GridPlace& place, std::size_t cell, std::size_t reach, const Use& use) {
  const std::size_t column = cell % place.columns, row = cell / place.columns;
  for (std::size_t y = row - std::min(row, reach); y < std::min(place.rows, row + reach + 1); ++y)
    for (std::size_t x = column - std::min(column, reach); x < std::min(place.columns, column + reach + 1);
         ++x)
      if (x != column || y != row) use(y * place.columns + x);
}

}  // namespace aqbench
