#include "pipeline/fusion/quadratic_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

namespace aqbench {
namespace {

constexpr std::size_t kLanes = kFitLanes;
constexpr int kFits = 3;  // plain least squares, then twice reweighted
constexpr int kLinear = 3, kQuadratic = 6;
constexpr std::size_t kFewest = 6;  // neighbours for a plane; twice as many for a quadratic surface
constexpr float kTukey = 4.0F;      // standard deviations of the residuals
// Weight of the curvature terms as a share of the total: stabilises fits at an edge and lessens curvature by
// a few percent.
constexpr double kCurvatureRidge = 1e-3;

// Sums k u^a v^b for a + b <= 4 in the order of kMoments, then k h u^a v^b for a + b <= 2.
AQBENCH_MULTIVERSION
void fit_moments(const float* u, const float* v, const float* h, const float* k, std::size_t count,
                 float* out) {
  float sums[21][kLanes] = {};
  for (std::size_t i = 0; i < count; i += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) {
      const float a = u[i + l], b = v[i + l], w = k[i + l], height = h[i + l];
      const float aa = a * a, ab = a * b, bb = b * b;
      const float wa = w * a, wb = w * b, waa = w * aa, wh = w * height;
      sums[0][l] += w;
      sums[1][l] += wa;
      sums[2][l] += wb;
      sums[3][l] += wa * a;
      sums[4][l] += wa * b;
      sums[5][l] += wb * b;
      sums[6][l] += wa * aa;
      sums[7][l] += wa * ab;
      sums[8][l] += wa * bb;
      sums[9][l] += wb * bb;
      sums[10][l] += waa * aa;
      sums[11][l] += waa * ab;
      sums[12][l] += waa * bb;
      sums[13][l] += wb * b * ab;
      sums[14][l] += wb * b * bb;
      sums[15][l] += wh;
      sums[16][l] += wh * a;
      sums[17][l] += wh * b;
      sums[18][l] += wh * aa;
      sums[19][l] += wh * ab;
      sums[20][l] += wh * bb;
    }
  add_lanes(sums, out);
}

// Returns the mean absolute residual, weighted by `robust`.
AQBENCH_MULTIVERSION
float mean_absolute_residual(const float* u, const float* v, const float* h, const float* robust,
                             std::size_t count, const float* c) {
  float sums[2][kLanes] = {};
  for (std::size_t i = 0; i < count; i += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) {
      const float a = u[i + l], b = v[i + l];
      const float fit = c[0] + c[1] * a + c[2] * b + c[3] * a * a + c[4] * a * b + c[5] * b * b;
      sums[0][l] += robust[i + l] * std::fabs(h[i + l] - fit);
      sums[1][l] += robust[i + l];
    }
  float out[2];
  add_lanes(sums, out);
  return out[1] > 0 ? out[0] / out[1] : 0.0F;
}

AQBENCH_MULTIVERSION
void reweight(const float* u, const float* v, const float* h, const float* k, std::size_t count,
              const float* c, float inverse_limit, float* robust) {
  for (std::size_t i = 0; i < count; ++i) {
    const float a = u[i], b = v[i];
    const float fit = c[0] + c[1] * a + c[2] * b + c[3] * a * a + c[4] * a * b + c[5] * b * b;
    const float t = (h[i] - fit) * inverse_limit;
    const float rest = 1.0F - t * t;
    const float inside = rest > 0.0F ? rest : 0.0F;
    robust[i] = k[i] * inside * inside;
  }
}

bool solve_fit(const float* m, int terms, std::array<float, kQuadratic>& c) {
  // Index of the moment that is the product of terms i and j, with terms 1, u, v, uu, uv, vv.
  static constexpr int kProduct[6][6] = {{0, 1, 2, 3, 4, 5},    {1, 3, 4, 6, 7, 8},    {2, 4, 5, 7, 8, 9},
                                         {3, 6, 7, 10, 11, 12}, {4, 7, 8, 11, 12, 13}, {5, 8, 9, 12, 13, 14}};
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kQuadratic, kQuadratic>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kQuadratic, 1>;
  Matrix normal(terms, terms);
  Vector right(terms);
  for (int i = 0; i < terms; ++i) {
    for (int j = 0; j < terms; ++j) normal(i, j) = m[kProduct[i][j]];
    normal(i, i) += m[0] * (i < kLinear ? 1e-6 : kCurvatureRidge);
    right(i) = m[15 + i];
  }
  const Eigen::LLT<Matrix> factor(normal);
  if (factor.info() != Eigen::Success) return false;
  const Vector solution = factor.solve(right);
  if (!solution.allFinite()) return false;
  c = {};
  for (int i = 0; i < terms; ++i) c[static_cast<std::size_t>(i)] = static_cast<float>(solution(i));
  return true;
}

}  // namespace

void pad_column(std::vector<float>& values) {
  values.resize((values.size() + kLanes - 1) / kLanes * kLanes, 0.0F);
}

void LocalColumns::compact() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < k.size(); ++i) {  // branch-free: which ones stay is unpredictable
    const float weight = k[i];
    u[kept] = u[i];
    v[kept] = v[i];
    h[kept] = h[i];
    k[kept] = weight;
    kept += weight > 0 ? 1U : 0U;
  }
  count = kept;
  for (std::vector<float>* column : {&u, &v, &h, &k}) {
    column->resize(kept);
    pad_column(*column);
  }
}

float fitted_height(LocalColumns& local) {
  if (local.count < kFewest) return NAN;
  const int terms = local.count < 2 * kFewest ? kLinear : kQuadratic;
  const std::size_t size = local.u.size();
  local.robust = local.k;
  std::array<float, kQuadratic> c{};
  for (int fit = 0; fit < kFits; ++fit) {
    float m[21];
    fit_moments(local.u.data(), local.v.data(), local.h.data(), local.robust.data(), size, m);
    if (!solve_fit(m, terms, c)) return NAN;
    if (fit + 1 == kFits) break;
    const float spread = mean_absolute_residual(local.u.data(), local.v.data(), local.h.data(),
                                                local.robust.data(), size, c.data());
    if (!(spread > 1e-6F)) break;  // an exact fit
    constexpr float kSigmaOfMeanAbsolute = 1.2533F;
    reweight(local.u.data(), local.v.data(), local.h.data(), local.k.data(), size, c.data(),
             1.0F / (kTukey * kSigmaOfMeanAbsolute * spread), local.robust.data());
  }
  return c[0];
}

}  // namespace aqbench
