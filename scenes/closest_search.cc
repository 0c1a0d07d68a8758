#include "scenes/closest_search.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace aqbench {
namespace {

// A square of the (x, y) plane.
struct Cell {
  double x, y, half;
};

// A disc around a minimum on which the squared distance is convex: nothing in it is lower.
struct Basin {
  double x, y, radius;
};

// Derivatives of half the squared distance: with w = f - z, G = (x - px, y - py) + w grad f and
// H = 1 + grad f grad f^T + w Hess f.
struct Quadratic {
  double gx, gy, hxx, hxy, hyy;

  Quadratic(const Vec3& p, double x, double y, const HeightJet& j) {
    const double w = j.z - p.z();
    gx = x - p.x() + w * j.fx;
    gy = y - p.y() + w * j.fy;
    hxx = 1 + j.fx * j.fx + w * j.fxx;
    hxy = j.fx * j.fy + w * j.fxy;
    hyy = 1 + j.fy * j.fy + w * j.fyy;
  }
  double least_eigenvalue() const { return 0.5 * (hxx + hyy) - std::hypot(0.5 * (hxx - hyy), hxy); }
};

Foot foot_at(const HeightField& field, const Vec3& p, double x, double y) {
  Foot foot{x, y, field.jet(x, y), 0};
  const double dx = x - p.x(), dy = y - p.y(), w = foot.jet.z - p.z();
  foot.squared_m2 = dx * dx + dy * dy + w * w;
  return foot;
}

// Newton with the Hessian made positive definite and steps halved until the distance falls.
Foot descend(const HeightField& field, const Vec3& p, Foot foot) {
  for (int iteration = 0; iteration < 40; ++iteration) {
    const Quadratic q(p, foot.x_m, foot.y_m, foot.jet);
    const double shift = std::max(0.0, 0.1 - q.least_eigenvalue());
    const double hxx = q.hxx + shift, hyy = q.hyy + shift;
    const double determinant = hxx * hyy - q.hxy * q.hxy;
    const double step_x = -(hyy * q.gx - q.hxy * q.gy) / determinant;
    const double step_y = -(hxx * q.gy - q.hxy * q.gx) / determinant;
    if (std::hypot(step_x, step_y) <= 1e-14) return foot;
    bool fell = false;
    for (double fraction = 1; fraction > 1e-3 && !fell; fraction /= 2) {
      const Foot next = foot_at(field, p, foot.x_m + fraction * step_x, foot.y_m + fraction * step_y);
      fell = next.squared_m2 < foot.squared_m2;
      if (fell) foot = next;
    }
    if (!fell) return foot;  // rounding decides from here on
  }
  return foot;
}

// Distances tell places apart only to about 1e-9 m; the gradient does better.
Foot polish(const HeightField& field, const Vec3& p, Foot foot) {
  for (int i = 0; i < 2; ++i) {
    const Quadratic q(p, foot.x_m, foot.y_m, foot.jet);
    const double determinant = q.hxx * q.hyy - q.hxy * q.hxy;
    const double step_x = -(q.hyy * q.gx - q.hxy * q.gy) / determinant;
    const double step_y = -(q.hxx * q.gy - q.hxy * q.gx) / determinant;
    if (!(std::hypot(step_x, step_y) < 1e-7)) break;
    foot = foot_at(field, p, foot.x_m + step_x, foot.y_m + step_y);
  }
  return foot;
}

class Search {
 public:
  Search(const HeightField& field, const HeightBounds& bounds, const Vec3& p)
      : field_(field), bounds_(bounds), p_(p) {
    const double gap = std::max({0.0, bounds.z_min_m - p.z(), p.z() - bounds.z_max_m});
    floor_ = gap * gap;
    best_ = descend(field, p, foot_at(field, p, p.x(), p.y()));
  }

  Foot run() {
    std::vector<Cell> stack{{p_.x(), p_.y(), std::sqrt(std::max(best_.squared_m2 - floor_, 0.0))}};
    add_basin(best_);
    while (!stack.empty()) {
      const Cell cell = stack.back();
      stack.pop_back();
      if (!needs_split(cell)) continue;
      const double h = cell.half / 2;
      for (const double sx : {-h, h})
        for (const double sy : {-h, h}) stack.push_back({cell.x + sx, cell.y + sy, h});
    }
    return polish(field_, p_, best_);
  }

 private:
  // The change of H over a distance r: |dH| <= 3 |grad f| |Hess f| + |w| |third| per metre.
  double hessian_change(double w, double r) const {
    return (3 * bounds_.slope * bounds_.curvature + (std::abs(w) + bounds_.slope * r) * bounds_.third) * r;
  }

  void add_basin(const Foot& foot) {
    const Quadratic q(p_, foot.x_m, foot.y_m, foot.jet);
    if (std::hypot(q.gx, q.gy) > 1e-9) return;  // not a minimum
    const double least = q.least_eigenvalue();
    double radius = 1 / std::max(bounds_.curvature, 1e-9);
    for (int i = 0; i < 40 && hessian_change(foot.jet.z - p_.z(), radius) > least; ++i) radius /= 2;
    if (hessian_change(foot.jet.z - p_.z(), radius) <= least) basins_.push_back({foot.x_m, foot.y_m, radius});
  }

  bool in_basin(const Cell& cell) const {
    return std::ranges::any_of(basins_, [&](const Basin& basin) {
      return std::hypot(std::abs(cell.x - basin.x) + cell.half, std::abs(cell.y - basin.y) + cell.half) <
             basin.radius;
    });
  }

  // False when the cell cannot hold anything lower than the best found.
  bool needs_split(const Cell& cell) {
    const double enough = best_.squared_m2 * (1 - 1e-13);
    const double lateral_x = std::max(std::abs(cell.x - p_.x()) - cell.half, 0.0);
    const double lateral_y = std::max(std::abs(cell.y - p_.y()) - cell.half, 0.0);
    const double lateral = lateral_x * lateral_x + lateral_y * lateral_y;
    if (lateral + floor_ >= enough || in_basin(cell)) return false;
    const Foot centre = foot_at(field_, p_, cell.x, cell.y);
    const double w = centre.jet.z - p_.z(), r = cell.half * std::sqrt(2.0);
    const double slope = std::hypot(centre.jet.fx, centre.jet.fy);
    const double rise = std::min(slope * r + 0.5 * bounds_.curvature * r * r, bounds_.slope * r);
    const double vertical = std::max(std::abs(w) - rise, 0.0);
    if (lateral + vertical * vertical >= enough) return false;
    const Quadratic q(p_, cell.x, cell.y, centre.jet);
    const double least = q.least_eigenvalue() - hessian_change(w, r);
    const double tangent = centre.squared_m2 - fall(q.gx, least, cell.half) - fall(q.gy, least, cell.half);
    if (tangent >= enough) return false;
    if (least > 0 || centre.squared_m2 < best_.squared_m2) {
      const Foot found = descend(field_, p_, centre);
      if (found.squared_m2 < best_.squared_m2) best_ = found;
      if (!in_basin({found.x_m, found.y_m, 0})) add_basin(found);
    }
    return cell.half > 1e-10;
  }

  // How far 2 g t + h t^2 can fall below 0 for |t| <= half.
  static double fall(double g, double h, double half) {
    const double t = h > 0 ? std::min(std::abs(g) / h, half) : half;
    return 2 * std::abs(g) * t - h * t * t;
  }

  const HeightField& field_;
  const HeightBounds& bounds_;
  Vec3 p_;
  double floor_ = 0;  // squared distance to the band of heights
  Foot best_;
  std::vector<Basin> basins_;
};

}  // namespace

Foot closest_foot(const HeightField& field, const HeightBounds& bounds, const Vec3& point_m) {
  return Search(field, bounds, point_m).run();
}

}  // namespace aqbench
