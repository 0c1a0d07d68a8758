#include "scenes/surfaces/ripples/ripple_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/random.h"
#include "scenes/surfaces/height_field.h"

namespace aqbench {
namespace {

// A place on the surface and its distance from the point.
struct RippleFoot {
  double x_m = 0, y_m = 0;
  HeightJet jet{};
  double squared_m2 = 0;  // squared distance from the point
};

// std::hypot guards against overflow that cannot happen here, at ten times the price.
double length_of(double x, double y) { return std::sqrt(x * x + y * y); }

// A square of the (x, y) plane.
struct Cell {
  double x, y, half;
};

// A disc about a minimum in which nothing is lower.
struct Basin {
  double x, y, radius;
};

// Derivatives of half the squared distance: with w = f - z, G = (x - px, y - py) + w grad f and
// H = 1 + grad f grad f^T + w Hess f.
struct Quadratic {
  double gx, gy, hxx, hxy, hyy;

  Quadratic(const Vec3& p, const RippleFoot& foot) {
    const HeightJet& j = foot.jet;
    const double w = j.z - p.z();
    gx = foot.x_m - p.x() + w * j.fx;
    gy = foot.y_m - p.y() + w * j.fy;
    hxx = 1 + j.fx * j.fx + w * j.fxx;
    hxy = j.fx * j.fy + w * j.fxy;
    hyy = 1 + j.fy * j.fy + w * j.fyy;
  }
  double least_eigenvalue() const { return 0.5 * (hxx + hyy) - length_of(0.5 * (hxx - hyy), hxy); }
};

class RippleSearch {
 public:
  RippleSearch(const RippleTable& table, const HeightBounds& bounds, const Vec3& p)
      : table_(table), bounds_(bounds), p_(p) {
    const double gap = std::max({0.0, bounds.z_min_m - p.z(), p.z() - bounds.z_max_m});
    floor_ = gap * gap;
    kept_ = 1 - search_tolerance(gap);
    best_ = foot_at(p.x(), p.y());
    side_ = best_.jet.z >= p.z() ? 1 : -1;
  }

  RippleFoot run(double start_x, double start_y) {
    const RippleFoot start = descend(foot_at(start_x, start_y));
    if (start.squared_m2 < best_.squared_m2) best_ = start;
    add_basin(start);
    std::vector<Cell> stack{{p_.x(), p_.y(), std::sqrt(std::max(best_.squared_m2 - floor_, 0.0))}};
    while (!stack.empty()) {
      const Cell cell = stack.back();
      stack.pop_back();
      if (!needs_split(cell)) continue;
      const double h = cell.half / 2;
      for (const double sx : {-h, h})
        for (const double sy : {-h, h}) stack.push_back({cell.x + sx, cell.y + sy, h});
    }
    return polish(best_);
  }

 private:
  RippleFoot foot_at(double x, double y) const {
    RippleFoot foot{x, y, ripple_jet(table_, x, y), 0};
    const double dx = x - p_.x(), dy = y - p_.y(), w = foot.jet.z - p_.z();
    foot.squared_m2 = dx * dx + dy * dy + w * w;
    return foot;
  }

  // Newton with the Hessian made positive definite and steps halved until the distance falls.
  RippleFoot descend(RippleFoot foot) const {
    for (int iteration = 0; iteration < 40; ++iteration) {
      const Quadratic q(p_, foot);
      const double least = q.least_eigenvalue();
      const double shift = least > 0.1 ? 0.0 : std::abs(least) + 0.1 - least;
      const double hxx = q.hxx + shift, hyy = q.hyy + shift;
      const double determinant = hxx * hyy - q.hxy * q.hxy;
      const double step_x = -(hyy * q.gx - q.hxy * q.gy) / determinant;
      const double step_y = -(hxx * q.gy - q.hxy * q.gx) / determinant;
      if (length_of(step_x, step_y) <= 1e-12) return foot;
      bool fell = false;
      for (double fraction = 1; fraction > 1e-9 && !fell; fraction /= 2) {
        const RippleFoot next = foot_at(foot.x_m + fraction * step_x, foot.y_m + fraction * step_y);
        fell = next.squared_m2 < foot.squared_m2;
        if (fell) foot = next;
      }
      if (!fell) return foot;  // rounding decides from here on
    }
    return foot;
  }

  // Distances tell places apart only to about 1e-9 m; the gradient does better.
  RippleFoot polish(RippleFoot foot) const {
    for (int i = 0; i < 2; ++i) {
      const Quadratic q(p_, foot);
      const double determinant = q.hxx * q.hyy - q.hxy * q.hxy;
      const double step_x = -(q.hyy * q.gx - q.hxy * q.gy) / determinant;
      const double step_y = -(q.hxx * q.gy - q.hxy * q.gx) / determinant;
      if (!(length_of(step_x, step_y) < 1e-7)) break;
      foot = foot_at(foot.x_m + step_x, foot.y_m + step_y);
    }
    return foot;
  }

  void add_basin(const RippleFoot& near_foot) {
    const RippleFoot foot = polish(near_foot);
    const Quadratic q(p_, foot);
    const double least = q.least_eigenvalue();
    if (!(least > 0) || length_of(q.gx, q.gy) > 1e-9 * least) return;  // not at a minimum
    const double offset = length_of(foot.x_m - p_.x(), foot.y_m - p_.y());
    const double radius =
        ripple_basin_radius(table_, foot.x_m, foot.y_m, side_, side_ * (foot.jet.z - p_.z()),
                            offset + std::sqrt(best_.squared_m2));
    if (radius > 0) basins_.push_back({foot.x_m, foot.y_m, radius});
  }

  bool in_basin(const Cell& cell) const {
    return std::ranges::any_of(basins_, [&](const Basin& basin) {
      return length_of(std::abs(cell.x - basin.x) + cell.half, std::abs(cell.y - basin.y) + cell.half) <
             basin.radius;
    });
  }

  // The most that H can change within a distance r of a place: |dH| <= 3 |grad f| |Hess f| + |w| |third| per
  // metre, each factor bounded from its value there.
  double hessian_change(const HeightJet& j, double r) const {
    const double curvature_there = 0.5 * std::abs(j.fxx + j.fyy) + length_of(0.5 * (j.fxx - j.fyy), j.fxy);
    const double curvature = std::min(bounds_.curvature, curvature_there + bounds_.third * r);
    const double slope = std::min(bounds_.slope, length_of(j.fx, j.fy) + curvature * r);
    return (3 * slope * curvature + (std::abs(j.z - p_.z()) + slope * r) * bounds_.third) * r;
  }

  // False when the cell cannot hold anything lower than the best found.
  bool needs_split(const Cell& cell) {
    const double enough = best_.squared_m2 * kept_;
    const double lateral_x = std::max(std::abs(cell.x - p_.x()) - cell.half, 0.0);
    const double lateral_y = std::max(std::abs(cell.y - p_.y()) - cell.half, 0.0);
    const double lateral = lateral_x * lateral_x + lateral_y * lateral_y;
    if (lateral + floor_ >= enough || in_basin(cell)) return false;
    const RippleFoot centre = foot_at(cell.x, cell.y);
    const double w = centre.jet.z - p_.z(), r = cell.half * std::sqrt(2.0);
    const double slope = length_of(centre.jet.fx, centre.jet.fy);
    const double rise = std::min(slope * r + 0.5 * bounds_.curvature * r * r, bounds_.slope * r);
    const double vertical = std::max(std::abs(w) - rise, 0.0);
    if (lateral + vertical * vertical >= enough) return false;
    const Quadratic q(p_, centre);
    const double least = q.least_eigenvalue() - hessian_change(centre.jet, r);
    const double tangent = centre.squared_m2 - fall(q.gx, least, cell.half) - fall(q.gy, least, cell.half);
    if (tangent >= enough) return false;
    if (least > 0 || centre.squared_m2 < best_.squared_m2) {
      const RippleFoot found = descend(centre);
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

  const RippleTable& table_;
  const HeightBounds& bounds_;
  Vec3 p_;
  double floor_ = 0;  // squared distance to the band of heights
  double kept_ = 1;   // 1 less the tolerance
  double side_ = 1;   // +1: the point lies above the surface
  RippleFoot best_;
  std::vector<Basin> basins_;
};

// Finds the closest place. Its squared distance is the global minimum within search_tolerance. `bounds` hold
// on the whole plane. The search begins at (start_x_m, start_y_m): the nearer that is to the result, the
// shorter the search.
RippleFoot search_ripple_foot(const RippleTable& table, const HeightBounds& bounds, const Vec3& point_m,
                              double start_x_m, double start_y_m) {
  return RippleSearch(table, bounds, point_m).run(start_x_m, start_y_m);
}

// The largest sum of amplitude |k . t|^power over unit directions t: what derivatives along a line can reach.
double directional_bound(const std::vector<Ripple>& ripples, int power) {
  constexpr int kDirections = 2048;
  constexpr double kStep = std::numbers::pi / kDirections;
  double largest = 0, isotropic = 0;
  for (const Ripple& r : ripples)
    isotropic += r.amplitude_m * std::pow(std::hypot(r.wave_x, r.wave_y), power);
  for (int i = 0; i < kDirections; ++i) {
    const double tx = std::cos(i * kStep), ty = std::sin(i * kStep);
    double sum = 0;
    for (const Ripple& r : ripples)
      sum += r.amplitude_m * std::pow(std::abs(r.wave_x * tx + r.wave_y * ty), power);
    largest = std::max(largest, sum);
  }
  // Between two directions the sum grows by at most power * isotropic per radian.
  return std::min(isotropic, largest + power * isotropic * kStep / 2);
}

class RippleField final : public PatchHeightField {
 public:
  RippleField(const RippleFieldShape& shape, const Patch& patch)
      : PatchHeightField(patch), shape_(shape), table_(make_ripple_table(shape)) {
    double height = 0, shortest = 1;
    for (const Ripple& r : shape.ripples) {
      height += r.amplitude_m;
      shortest = std::min(shortest, 2 * std::numbers::pi / std::max(1.0, std::hypot(r.wave_x, r.wave_y)));
    }
    bounds_ = {shape.base_depth_m - height, shape.base_depth_m + height, directional_bound(shape.ripples, 1),
               directional_bound(shape.ripples, 2), directional_bound(shape.ripples, 3)};
    feature_m_ = shortest;
  }

  HeightJet jet(double x, double y) const override { return ripple_jet(table_, x, y); }

  void closest_points(std::span<const Vec3> points, std::span<ClosestPoint> out) const override {
    std::array<unsigned char, 256> found{};
    for (std::size_t begin = 0; begin < points.size(); begin += found.size()) {
      const std::size_t count = std::min(found.size(), points.size() - begin);
      ripple_closest_points(shape_, points.subspan(begin, count), out.subspan(begin, count), found);
      for (std::size_t i = begin; i < begin + count; ++i) {
        if (found[i - begin] != 0) continue;
        const RippleFoot foot =
            search_ripple_foot(table_, bounds_, points[i], out[i].position_m.x(), out[i].position_m.y());
        out[i] = closest_point_at(points[i], foot.x_m, foot.y_m, foot.jet);
      }
    }
  }

 protected:
  void heights(const double* x, const double* y, std::size_t count, double* z,
               double* area_factor) const override {
    ripple_heights(shape_, x, y, count, z, area_factor);
  }
  Vec2 feature_size_m() const override { return {feature_m_, feature_m_}; }

 private:
  RippleFieldShape shape_;
  RippleTable table_;
  double feature_m_ = 1;
};

}  // namespace

void check(const RippleFieldShape& shape) {
  require_finite("base_depth_m", shape.base_depth_m);
  double steepest = 0;
  for (const Ripple& ripple : shape.ripples) {
    require_not_negative("amplitude_m", ripple.amplitude_m);
    for (const double value : {ripple.wave_x, ripple.wave_y, ripple.phase}) require_finite("ripples", value);
    steepest += ripple.amplitude_m * std::hypot(ripple.wave_x, ripple.wave_y);
  }
  require_slope("rms_m", steepest);
}

void check(const RippleOptions& options) {
  require_finite("base_depth_m", options.base_depth_m);
  require_not_negative("rms_m", options.rms_m);
  require_shape(options.ripples >= 1, "ripples", "at least 1", static_cast<double>(options.ripples));
  require_positive("wavelength_min_m", options.wavelength_min_m);
  require_positive("wavelength_max_m", options.wavelength_max_m);
  require_shape(options.wavelength_max_m >= options.wavelength_min_m, "wavelength_max_m",
                "at least wavelength_min_m", options.wavelength_max_m);
}

RippleFieldShape make_ripples(const RippleOptions& options) {
  check(options);
  const RandomKey key{options.seed, RandomStream::ripple_field};
  RippleFieldShape shape{options.base_depth_m, {}};
  const double log_ratio = std::log(options.wavelength_max_m / options.wavelength_min_m);
  const auto count = static_cast<std::uint64_t>(options.ripples);
  double squares = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto [place, direction] = uniform01_pair(key, i, 0);
    const double share = (static_cast<double>(i) + place) / static_cast<double>(count);
    const double wavelength = options.wavelength_min_m * std::exp(share * log_ratio);
    const double wave = 2 * std::numbers::pi / wavelength, angle = 2 * std::numbers::pi * direction;
    shape.ripples.push_back({wavelength, wave * std::cos(angle), wave * std::sin(angle),
                             2 * std::numbers::pi * uniform01(key, i, 1)});
    squares += wavelength * wavelength;
  }
  // The mean square of a sine is half its squared amplitude.
  for (Ripple& r : shape.ripples) r.amplitude_m *= options.rms_m * std::sqrt(2 / squares);
  return shape;
}

std::shared_ptr<const HeightField> make_ripple_field(const RippleFieldShape& shape, const Patch& patch) {
  check(shape);
  return std::make_shared<RippleField>(shape, patch);
}

}  // namespace aqbench
