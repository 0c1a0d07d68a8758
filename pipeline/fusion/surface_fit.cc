#include "pipeline/fusion/fusion.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/multiversion.h"
#include "core/parallel.h"
#include "pipeline/fusion/compaction.h"

namespace aqbench {
namespace {

constexpr std::size_t kFitLanes = 16;  // columns are zero-padded to a multiple of this
constexpr int kFits = 3;               // plain least squares, then twice reweighted
constexpr int kLinear = 3, kQuadratic = 6;
constexpr std::size_t kFewest = 6;  // neighbours for a plane; twice as many for a quadratic surface
constexpr float kTukey = 4.0F;      // standard deviations of the residuals
// Weight of the curvature terms as a share of the total: stabilises fits at an edge and lessens curvature by
// a few percent.
constexpr double kCurvatureRidge = 1e-3;

// Zero-pads a column to whole lanes.
void pad_column(std::vector<float>& values) {
  values.resize((values.size() + kFitLanes - 1) / kFitLanes * kFitLanes, 0.0F);
}

// Writes to out[m] the sum of lanes[m].
template <std::size_t N>
AQBENCH_INLINE void add_lanes(const float (&lanes)[N][kFitLanes], float* out) {
  for (std::size_t m = 0; m < N; ++m) {
    float sum = 0;
    for (const float lane : lanes[m]) sum += lane;
    out[m] = sum;
  }
}

// Sums k u^a v^b for a + b <= 4 in the order of kMoments, then k h u^a v^b for a + b <= 2.
AQBENCH_MULTIVERSION
void fit_moments(const float* u, const float* v, const float* h, const float* k, std::size_t count,
                 float* out) {
  float sums[21][kFitLanes] = {};
  for (std::size_t i = 0; i < count; i += kFitLanes)
    for (std::size_t l = 0; l < kFitLanes; ++l) {
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
  float sums[2][kFitLanes] = {};
  for (std::size_t i = 0; i < count; i += kFitLanes)
    for (std::size_t l = 0; l < kFitLanes; ++l) {
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

// The moments of some fits, and the coefficients of 1, u, v, uu, uv, vv that fit best.
struct FitBatch {
  Eight moments[21];    // kFitsAtOnce numbers each
  EightMasks is_plane;  // the fits of linear terms alone
  Eight terms[kQuadratic];
};

// Solves the normal equations as L D L'. Terms of a fit that its neighbours do not determine are not finite.
AQBENCH_MULTIVERSION
void solve_fits(FitBatch& batch) {
  // Index of the moment that is the product of terms i and j.
  static constexpr int kProduct[6][6] = {{0, 1, 2, 3, 4, 5},    {1, 3, 4, 6, 7, 8},    {2, 4, 5, 7, 8, 9},
                                         {3, 6, 7, 10, 11, 12}, {4, 7, 8, 11, 12, 13}, {5, 8, 9, 12, 13, 14}};
  const Eight none{}, undefined = none + static_cast<double>(NAN);
  Eight lower[kQuadratic][kQuadratic], diagonal[kQuadratic], inverse[kQuadratic];
  for (int i = 0; i < kQuadratic; ++i) {
    Eight& term = batch.terms[i];
    term = batch.moments[15 + i];
    if (i >= kLinear) term = batch.is_plane ? none : term;
    for (int j = 0; j <= i; ++j) {
      Eight rest = batch.moments[kProduct[i][j]];
      if (i == j) rest += batch.moments[0] * (i < kLinear ? 1e-6 : kCurvatureRidge);
      if (i >= kLinear) rest = batch.is_plane ? none + (i == j ? 1 : 0) : rest;
      for (int k = 0; k < j; ++k) rest -= lower[i][k] * lower[j][k] * diagonal[k];
      if (j < i) {
        lower[i][j] = rest * inverse[j];
        term -= lower[i][j] * batch.terms[j];
      } else {
        diagonal[i] = rest > 0 ? rest : undefined;
        inverse[i] = 1 / diagonal[i];
      }
    }
  }
  for (int i = kQuadratic - 1; i >= 0; --i) {
    batch.terms[i] *= inverse[i];
    for (int k = i + 1; k < kQuadratic; ++k) batch.terms[i] -= lower[k][i] * batch.terms[k];
  }
}

// Takes over the height of a solved fit, and the weights of the next one by the residuals of this one.
// Returns whether there is a next one.
bool reweighted(const FitBatch& batch, std::size_t fit, bool is_last, LocalColumns& local, float& height) {
  float c[kQuadratic], sum = 0;
  for (int i = 0; i < kQuadratic; ++i) sum += c[i] = static_cast<float>(batch.terms[i][fit]);
  height = std::isfinite(sum) ? c[0] : NAN;
  if (std::isnan(height) || is_last) return false;
  const std::size_t size = local.u.size();
  const float spread =
      mean_absolute_residual(local.u.data(), local.v.data(), local.h.data(), local.robust.data(), size, c);
  if (!(spread > 1e-6F)) return false;  // an exact fit
  constexpr float kSigmaOfMeanAbsolute = 1.2533F;
  reweight(local.u.data(), local.v.data(), local.h.data(), local.k.data(), size, c,
           1.0F / (kTukey * kSigmaOfMeanAbsolute * spread), local.robust.data());
  return true;
}

constexpr std::size_t kQueryGrain = 4096;

// Columns padded to whole lanes with weight 0.
struct SupportColumns {
  std::vector<float> x, y, z, w;

  std::size_t size() const { return x.size(); }
};

// Weighted sums of 1, x, y, z, xx, xy, xz, yy, yz, zz relative to (qx, qy, qz) and in units of the radius.
AQBENCH_MULTIVERSION
void sphere_moments(const float* x, const float* y, const float* z, const float* w, std::size_t count,
                    float qx, float qy, float qz, float inverse_radius, float* out) {
  float sums[10][kFitLanes] = {};
  for (std::size_t i = 0; i < count; i += kFitLanes)
    for (std::size_t l = 0; l < kFitLanes; ++l) {
      const float dx = (x[i + l] - qx) * inverse_radius;
      const float dy = (y[i + l] - qy) * inverse_radius;
      const float dz = (z[i + l] - qz) * inverse_radius;
      const float rest = 1.0F - (dx * dx + dy * dy + dz * dz);
      const float inside = rest > 0.0F ? rest : 0.0F;
      const float k = w[i + l] * inside * inside;
      sums[0][l] += k;
      sums[1][l] += k * dx;
      sums[2][l] += k * dy;
      sums[3][l] += k * dz;
      sums[4][l] += k * dx * dx;
      sums[5][l] += k * dx * dy;
      sums[6][l] += k * dx * dz;
      sums[7][l] += k * dy * dy;
      sums[8][l] += k * dy * dz;
      sums[9][l] += k * dz * dz;
    }
  add_lanes(sums, out);
}

// frame: three rows, two tangents and the normal.
AQBENCH_MULTIVERSION
void to_local(const float* __restrict x, const float* __restrict y, const float* __restrict z,
              const float* __restrict w, std::size_t count, const float* query, const float* frame,
              float* __restrict u, float* __restrict v, float* __restrict h, float* __restrict k) {
  float f[9], q[3];  // copies, to avoid aliasing with the output
  std::copy_n(frame, 9, f);
  std::copy_n(query, 3, q);
  for (std::size_t i = 0; i < count; ++i) {
    const float dx = x[i] - q[0], dy = y[i] - q[1], dz = z[i] - q[2];
    const float a = f[0] * dx + f[1] * dy + f[2] * dz;
    const float b = f[3] * dx + f[4] * dy + f[5] * dz;
    const float c = f[6] * dx + f[7] * dy + f[8] * dz;
    const float rest = 1.0F - (a * a + b * b);
    const float near = rest > 0.0F ? rest : 0.0F;
    const float inside = c * c <= 1.0F ? near : 0.0F;
    u[i] = a;
    v[i] = b;
    h[i] = c;
    k[i] = w[i] * inside * inside;
  }
}

// Computes rows of two tangents and the normal of the local plane, divided by the radius. Returns false
// without a neighbourhood.
bool local_frame(const SupportColumns& support, const float* query, float inverse_radius, float* frame) {
  float m[10];
  sphere_moments(support.x.data(), support.y.data(), support.z.data(), support.w.data(), support.size(),
                 query[0], query[1], query[2], inverse_radius, m);
  if (!(m[0] > 0)) return false;
  const Vec3 mean = Vec3(m[1], m[2], m[3]) / m[0];
  Eigen::Matrix3d covariance;
  covariance << m[4], m[5], m[6], m[5], m[7], m[8], m[6], m[8], m[9];
  covariance = covariance / m[0] - mean * mean.transpose();
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(covariance);  // ascending: the normal first
  const Eigen::Matrix3f vectors = solver.eigenvectors().cast<float>() * inverse_radius;
  Eigen::Map<Eigen::Matrix3f>{frame} = vectors.rowwise().reverse();
  return vectors.allFinite();
}

void gather_local(const SupportColumns& support, const float* query, const float* frame,
                  LocalColumns& local) {
  for (std::vector<float>* column : {&local.u, &local.v, &local.h, &local.k}) column->resize(support.size());
  to_local(support.x.data(), support.y.data(), support.z.data(), support.w.data(), support.size(), query,
           frame, local.u.data(), local.v.data(), local.h.data(), local.k.data());
  local.compact();
}

void gather_support(const Surfels& support, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& runs,
                    SupportColumns& columns) {
  for (const auto& [column, values] :
       {std::pair(&columns.x, &support.x_m), std::pair(&columns.y, &support.y_m),
        std::pair(&columns.z, &support.z_m), std::pair(&columns.w, &support.weight)}) {
    column->clear();
    for (const auto& [begin, end] : runs)
      column->insert(column->end(), values->begin() + begin, values->begin() + end);
    pad_column(*column);
  }
}

}  // namespace

void LocalColumns::compact() {
  count = keep_positive(u.data(), v.data(), h.data(), k.data(), k.size());
  for (std::vector<float>* column : {&u, &v, &h, &k}) {
    column->resize(count);
    pad_column(*column);
  }
}

void fit_surfaces(std::span<LocalColumns> locals, std::span<float> heights) {
  FitBatch batch{};
  unsigned open = 0;  // bits of the fits that are not finished
  for (std::size_t f = 0; f < locals.size(); ++f) {
    heights[f] = NAN;
    if (locals[f].count < kFewest) continue;
    open |= 1U << f;
    batch.is_plane[f] = locals[f].count < 2 * kFewest ? -1 : 0;
    locals[f].robust = locals[f].k;
  }
  for (int fit = 0; fit < kFits && open != 0; ++fit) {
    for (std::size_t f = 0; f < locals.size(); ++f) {
      if ((open >> f & 1U) == 0) continue;
      const LocalColumns& local = locals[f];
      float moments[21];
      fit_moments(local.u.data(), local.v.data(), local.h.data(), local.robust.data(), local.u.size(),
                  moments);
      for (std::size_t k = 0; k < std::size(moments); ++k) batch.moments[k][f] = moments[k];
    }
    solve_fits(batch);
    for (std::size_t f = 0; f < locals.size(); ++f)
      if ((open >> f & 1U) != 0 && !reweighted(batch, f, fit + 1 == kFits, locals[f], heights[f]))
        open &= ~(1U << f);
  }
}

void refine_surfels(const Surfels& all, double radius_m, Surfels& moved) {
  if (all.count() == 0) return;
  int cell_level = 0, support_level = 0;
  while (std::ldexp(all.grid.cell_m, cell_level) < radius_m && cell_level < kMortonBits) ++cell_level;
  // A quarter of the radius resolves the surface; finer support only costs time.
  while (support_level < cell_level &&
         std::ldexp(all.grid.cell_m, support_level + 1) <= radius_m * (0.25 + 1e-9))
    ++support_level;
  const Surfels support = coarsen(all, support_level);
  const MortonCells cells = make_cells(support.keys, cell_level - support_level);
  const Vec3 shift_m = moved.grid.origin_m - all.grid.origin_m;
  const auto inverse_radius = static_cast<float>(1 / radius_m);
  parallel_for(moved.count(), kQueryGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
    SupportColumns columns;
    std::array<LocalColumns, kFitsAtOnce> locals;
    float frames[kFitsAtOnce][9], heights[kFitsAtOnce];
    std::uint64_t gathered = ~std::uint64_t{0};  // no cell has that key
    for (std::size_t first = begin; first < end; first += kFitsAtOnce) {
      const std::size_t count = std::min(kFitsAtOnce, end - first);
      for (std::size_t f = 0; f < count; ++f) {
        const Vec3 from_origin =
            shift_m + Vec3(moved.x_m[first + f], moved.y_m[first + f], moved.z_m[first + f]);
        const std::uint64_t key = all.grid.key(all.grid.origin_m + from_origin) >> (3 * cell_level);
        if (key != gathered) {
          neighbour_runs(cells, key, 0, 1, runs);
          gather_support(support, runs, columns);
          gathered = key;
        }
        const Eigen::Vector3f query = from_origin.cast<float>();
        locals[f].count = 0;
        if (local_frame(columns, query.data(), inverse_radius, frames[f]))
          gather_local(columns, query.data(), frames[f], locals[f]);
      }
      fit_surfaces(std::span(locals).first(count), heights);
      for (std::size_t f = 0; f < count; ++f) {
        if (!(std::fabs(heights[f]) <= 1.0F)) continue;
        // Rows of the frame are unit vectors over the radius, heights are over the radius too.
        const auto step = static_cast<float>(heights[f] * radius_m * radius_m);
        moved.x_m[first + f] += frames[f][6] * step;
        moved.y_m[first + f] += frames[f][7] * step;
        moved.z_m[first + f] += frames[f][8] * step;
      }
    }
  });
}

}  // namespace aqbench
