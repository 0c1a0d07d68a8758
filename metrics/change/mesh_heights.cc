#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "metrics/change/cell_places.h"
#include "metrics/change/change.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench {
namespace {

constexpr double kNoHeight = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kSide = 32;  // of the places in a cell where surfaces lie above each other

// A polygon in space with at most seven corners: a triangle that was cut four times.
struct Piece {
  std::array<Vec3, 8> corners;
  std::size_t count = 0;

  void add(const Vec3& corner) { corners[count++] = corner; }
};

// Returns what of a piece lies at or beyond `at` along an axis, or with sign -1 at or before it.
Piece cut(const Piece& piece, int axis, double at, double sign) {
  Piece kept;
  for (std::size_t i = 0; i < piece.count; ++i) {
    const Vec3 &a = piece.corners[i], &b = piece.corners[(i + 1) % piece.count];
    const double inside_a = sign * (a[axis] - at), inside_b = sign * (b[axis] - at);
    if (inside_a >= 0) kept.add(a);
    if ((inside_a > 0 && inside_b < 0) || (inside_a < 0 && inside_b > 0)) {
      Vec3 between = a + inside_a / (inside_a - inside_b) * (b - a);
      between[axis] = at;
      kept.add(between);
    }
  }
  return kept;
}

// Integrals over the part of a cell that a surface covers.
struct CellSums {
  double ground_m2 = 0, surface_m2 = 0;
  double height_m3 = 0;
  Vec2 place_m3 = Vec2::Zero();  // from the centre of the cell
  Vec2 slope_m2 = Vec2::Zero();

  void add(double area_m2, double height_m, const Vec2& from_centre_m, const Vec2& slope) {
    ground_m2 += area_m2;
    height_m3 += area_m2 * height_m;
    place_m3 += area_m2 * from_centre_m;
    slope_m2 += area_m2 * slope;
  }
};

struct Cell {
  CellSums sums;
  double turned_m2 = 0;  // of the ground, under faces that look down
  std::uint32_t part = kNoPart;
  bool is_layered = false;  // several surfaces lie above each other

  static constexpr std::uint32_t kNoPart = ~0U;
};

struct Face {
  std::array<Vec3, 3> corners;
  Vec3 doubled;  // vector area
  std::uint32_t part = 0;
  bool looks_down = false;

  bool is_vertical() const { return std::abs(doubled.z()) <= 1e-12 * doubled.norm(); }
  Vec2 slope() const { return -doubled.head<2>() / doubled.z(); }
};

// The range of columns or rows that an extent meets; one alone for an extent without width.
struct Range {
  std::size_t first, last;
};
Range range_of(double low, double high, double min, double max, double cell, std::size_t count) {
  if (!(high >= min && low <= max) || count == 0) return {1, 0};
  return {place_along(low, min, cell, count), place_along(high, min, cell, count)};
}

// Calls use(cell, piece) for the parts of a face over each cell.
template <class Use>
void each_piece(const Face& face, const GridPlace& place, const Use& use) {
  const auto& [a, b, c] = face.corners;
  const Vec3 low = a.cwiseMin(b).cwiseMin(c), high = a.cwiseMax(b).cwiseMax(c);
  const Range rows = range_of(low.y(), high.y(), place.y_min_m, place.y_max_m, place.cell_m, place.rows);
  const Range columns =
      range_of(low.x(), high.x(), place.x_min_m, place.x_max_m, place.cell_m, place.columns);
  for (std::size_t row = rows.first; row <= rows.last; ++row) {
    Piece strip{{a, b, c}, 3};
    strip = cut(strip, 1, begin_of_row(place, row), 1);
    strip = cut(strip, 1, begin_of_row(place, row + 1), -1);
    for (std::size_t column = columns.first; column <= columns.last; ++column) {
      const Piece piece =
          cut(cut(strip, 0, begin_of_column(place, column), 1), 0, begin_of_column(place, column + 1), -1);
      if (piece.count >= 3) use(row * place.columns + column, piece);
    }
  }
}

void add_piece(const Face& face, const Vec2& centre, const Piece& piece, Cell& cell) {
  for (std::size_t i = 2; i < piece.count; ++i) {
    const Vec3 &a = piece.corners[0], &b = piece.corners[i - 1], &c = piece.corners[i];
    const Vec3 cross = (b - a).cross(c - a);
    cell.sums.surface_m2 += cross.norm() / 2;
    if (face.is_vertical()) continue;
    const Vec3 middle = (a + b + c) / 3;
    const double area_m2 = std::abs(cross.z()) / 2;
    cell.sums.add(area_m2, middle.z(), middle.head<2>() - centre, face.slope());
    if (face.looks_down) cell.turned_m2 += area_m2;
  }
  if (face.is_vertical()) return;
  cell.is_layered = cell.is_layered || (cell.part != Cell::kNoPart && cell.part != face.part);
  cell.part = face.part;
}

// The highest face at the places of a cell.
class HighestFaces {
 public:
  HighestFaces(const Vec2& low, const Vec2& high)
      : low_(low), step_((high - low) / static_cast<double>(kSide)), height_m_(kSide * kSide, kNoHeight) {
    face_.resize(height_m_.size());
  }
  Vec2 at(std::size_t i) const {
    return low_ + Vec2(static_cast<double>(i % kSide) + 0.5, static_cast<double>(i / kSide) + 0.5)
                      .cwiseProduct(step_);
  }
  void draw(const Face& face, std::uint32_t number) {
    const auto cross = [](const Vec2& u, const Vec2& v) { return u.x() * v.y() - u.y() * v.x(); };
    const Vec2 a = face.corners[0].head<2>(), b = face.corners[1].head<2>(), c = face.corners[2].head<2>();
    for (std::size_t i = 0; i < height_m_.size(); ++i) {
      const Vec2 place = at(i);
      const double of_a = cross(b - place, c - place) / face.doubled.z(),
                   of_b = cross(c - place, a - place) / face.doubled.z(), of_c = 1 - of_a - of_b;
      if (std::min({of_a, of_b, of_c}) < -1e-12) continue;  // a place on a common edge belongs to both
      const double height_m =
          of_a * face.corners[0].z() + of_b * face.corners[1].z() + of_c * face.corners[2].z();
      if (height_m_[i] >= height_m) continue;
      height_m_[i] = height_m;
      face_[i] = number;
    }
  }
  CellSums sums(std::span<const Face> faces, const Vec2& centre) const {
    CellSums sums;
    const double area_m2 = step_.prod();
    for (std::size_t i = 0; i < height_m_.size(); ++i) {
      if (std::isnan(height_m_[i])) continue;
      const Face& face = faces[face_[i]];
      sums.add(area_m2, height_m_[i], at(i) - centre, face.slope());
      sums.surface_m2 += area_m2 * face.doubled.norm() / std::abs(face.doubled.z());
    }
    return sums;
  }

 private:
  Vec2 low_, step_;
  std::vector<double> height_m_;
  std::vector<std::uint32_t> face_;
};

std::vector<Face> faces_of(const TriangleMesh& mesh) {
  const JoinedFaces joined = join_faces(mesh.vertices_m, mesh.triangles);
  const std::vector<FaceStand> stands = find_stands(mesh.vertices_m, joined.triangles);
  std::vector<Face> faces;
  for (std::size_t i = 0; i < stands.size(); ++i) {
    Face face;
    for (std::size_t k = 0; k < 3; ++k) face.corners[k] = mesh.vertices_m[joined.triangles[i][k]];
    face.doubled = (face.corners[1] - face.corners[0]).cross(face.corners[2] - face.corners[0]);
    face.part = stands[i].part;
    face.looks_down = (face.doubled.z() < 0) != stands[i].is_turned;
    faces.push_back(face);
  }
  return faces;
}

// The faces over each layered cell, as their order is.
void draw_layered_cells(std::span<const Face> faces, const GridPlace& place, std::vector<Cell>& cells) {
  std::vector<std::pair<std::size_t, std::uint32_t>> over;
  for (std::uint32_t i = 0; i < faces.size(); ++i)
    if (!faces[i].is_vertical())
      each_piece(faces[i], place, [&](std::size_t cell, const Piece&) {
        if (cells[cell].is_layered) over.emplace_back(cell, i);
      });
  std::ranges::sort(over);
  for (std::size_t begin = 0, end = 0; begin < over.size(); begin = end) {
    const std::size_t cell = over[begin].first;
    HighestFaces highest(low_corner(place, cell), high_corner(place, cell));
    for (end = begin; end < over.size() && over[end].first == cell; ++end)
      highest.draw(faces[over[end].second], over[end].second);
    cells[cell].sums = highest.sums(faces, centre_of(place, cell));
  }
}

}  // namespace

HeightGrid heights_of_mesh(const TriangleMesh& mesh, const GridPlace& place, double step_m) {
  const std::size_t count = place.columns * place.rows;
  const std::vector<Face> faces = faces_of(mesh);
  std::vector<Cell> cells(count);
  for (const Face& face : faces)
    each_piece(face, place, [&](std::size_t cell, const Piece& piece) {
      add_piece(face, centre_of(place, cell), piece, cells[cell]);
    });
  constexpr double kRounding = 1e-9;
  for (std::size_t i = 0; i < count; ++i) {
    const double ground_m2 = cells[i].sums.ground_m2, least_m2 = kRounding * ground_m2;
    cells[i].is_layered = cells[i].is_layered ||
                          (cells[i].turned_m2 > least_m2 && cells[i].turned_m2 < ground_m2 - least_m2) ||
                          ground_m2 > (1 + kRounding) * area_of_cell(place, i);
  }
  draw_layered_cells(faces, place, cells);
  HeightGrid grid{.place = place,
                  .height_m = std::vector<double>(count, kNoHeight),
                  .share = std::vector<double>(count, 0),
                  .standard_error_m = {},
                  .degrees = {},
                  .lent = {},
                  .rounding_m = std::vector<double>(step_m > 0 ? count : 0, step_m / 2),
                  .surface_m2 = std::vector<double>(count, 0)};
  for (std::size_t i = 0; i < count; ++i) {
    const CellSums& sums = cells[i].sums;
    const double area_m2 = area_of_cell(place, i);
    if (!(sums.ground_m2 > kRounding * area_m2)) continue;
    // The mean height over what is covered, moved along the mean slope to the centre of the cell.
    grid.height_m[i] = (sums.height_m3 - sums.slope_m2.dot(sums.place_m3) / sums.ground_m2) / sums.ground_m2;
    grid.share[i] = std::min(1.0, sums.ground_m2 / area_m2);
    grid.surface_m2[i] = sums.surface_m2;
  }
  return grid;
}

}  // namespace aqbench
