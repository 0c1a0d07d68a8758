#include "pipeline/workloads/numeric.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "core/multiversion.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/stage_scope.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {
namespace {

// Whether a query has its 4 x 4 x 4 neighbours: -3 <= index < 3.
bool has_neighbours(double h, double k, double l) {
  const auto fits = [](double index) { return index >= 1 - kGridReach && index < kGridReach - 1; };
  return fits(h) && fits(k) && fits(l);
}

// The factor of a query without neighbours: that of the nearest grid point, or kFactorOutside if there is
// none.
double factor_without_neighbours(const double* grid, double h, double k, double l) {
  std::size_t place = 0;
  for (const double index : {h, k, l}) {
    const double nearest = std::nearbyint(index);
    if (!(std::abs(nearest) <= kGridReach)) return kFactorOutside;
    place = place * kGridSide + static_cast<std::size_t>(nearest + kGridReach);
  }
  return grid[place];
}

// ---- The fused kernel: the weights of three axes make one of 4 x 4 x 4 weighted sums; the four neighbours
// along l lie side by side in memory and are one vector. ----

typedef double FourDoubles __attribute__((vector_size(32), aligned(32)));

// Lagrange's weights of the nodes -1, 0, 1, 2 at x.
AQBENCH_INLINE void lagrange_weights(double x, double* weights) {
  const double before = x + 1, after = x - 1, last = x - 2;
  weights[0] = x * after * last * (-1.0 / 6);
  weights[1] = before * after * last * 0.5;
  weights[2] = before * x * last * -0.5;
  weights[3] = before * x * after * (1.0 / 6);
}

AQBENCH_MULTIVERSION
void tricubic_range(const double* grid, const double* h, const double* k, const double* l, std::size_t count,
                    double* factors) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_neighbours(h[i], k[i], l[i])) {
      factors[i] = factor_without_neighbours(grid, h[i], k[i], l[i]);
      continue;
    }
    // Indices are above -3 here: truncation of a positive number is its floor.
    const int h0 = static_cast<int>(h[i] + kGridReach) - 1, k0 = static_cast<int>(k[i] + kGridReach) - 1,
              l0 = static_cast<int>(l[i] + kGridReach) - 1;
    double weights_h[4], weights_k[4], weights_l[4];
    lagrange_weights(h[i] - (h0 + 1 - kGridReach), weights_h);
    lagrange_weights(k[i] - (k0 + 1 - kGridReach), weights_k);
    lagrange_weights(l[i] - (l0 + 1 - kGridReach), weights_l);
    const double* corner = grid + (h0 * kGridSide + k0) * kGridSide + l0;
    FourDoubles sum = {};
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {
        FourDoubles row;
        std::memcpy(&row, corner + (a * kGridSide + b) * kGridSide, sizeof row);
        sum += row * (weights_h[a] * weights_k[b]);
      }
    factors[i] =
        sum[0] * weights_l[0] + sum[1] * weights_l[1] + sum[2] * weights_l[2] + sum[3] * weights_l[3];
  }
}

// ---- The workload ----

class TricubicRun final : public WorkloadRun {
 public:
  explicit TricubicRun(const WorkloadInput& input)
      : input_(input),
        variant_(input.parameters.text("variant")),
        size_(input.parameters.integer("size")),
        batch_(input.parameters.integer("batch") * size_),
        grid_(structure_factor_grid()),
        queries_(make_queries(input.seed, size_ * size_, input.parameters.number("outside_share"))) {}

  void run_once() override {
    const StageScope stage("tricubic");
    batched_ = {};
    if (opencl::is_opencl(input_.device)) return run_on_device();
    if (variant_ == "torch")
      batched_ = workloads_table().tricubic_torch(grid_, queries_, batch_, input_.device.c_str());
    else
      batched_ = tricubic_fused(grid_, queries_, batch_);
  }

  std::vector<Identity> identities() override {
    const std::vector<double>& factors = batched_.values;
    double worst_inside = 0, worst_outside = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const double h = queries_.h[i], k = queries_.k[i], l = queries_.l[i];
      const bool inside = has_neighbours(h, k, l);
      const auto near = [](double index) { return std::abs(std::nearbyint(index)) <= kGridReach; };
      const double truth = inside ? structure_factor(h, k, l)
                           : near(h) && near(k) && near(l)
                               ? structure_factor(std::nearbyint(h), std::nearbyint(k), std::nearbyint(l))
                               : kFactorOutside;
      double& worst = inside ? worst_inside : worst_outside;
      const double error = std::abs(factors[i] - truth);
      worst = error <= worst ? worst : error;  // NaN is kept
    }
    return {{"queries", static_cast<double>(factors.size()), static_cast<double>(size_ * size_), 0},
            {"inside_worst_error", worst_inside, 0, 1e-10},
            {"outside_worst_error", worst_outside, 0, 1e-12}};
  }

  std::string output_sha256() override { return sha256_of_values(batched_.values); }
  void corrupt_output() override { batched_.values.at(batched_.values.size() / 2) += 0.01; }

  std::vector<WorkloadFigure> figures() const override {
    if (job_ != nullptr) return figures_of(*job_);
    return {kernel_calls_figure(batched_.kernel_calls)};
  }

  WorkloadCost cost() const override {
    const auto queries = static_cast<double>(size_ * size_);
    // Fused: floors and fractions 9, weights 3 x 14, 16 rows of 4 multiply-adds and a weight of their own, 7.
    return {queries * 1e-6, queries * (9 + 42 + 16 * (8 + 1) + 7), queries * 4 * sizeof(double)};
  }

 private:
  // A call does some queries (pipeline/opencl/workloads.cl).
  void run_on_device() {
    const std::size_t count = queries_.h.size();
    if (job_ == nullptr)
      job_ = opencl::table().make_job({.kernel = "tricubic",
                                       .defines = {{"REACH", std::to_string(kGridReach)},
                                                   {"OUTSIDE", opencl::constant_text(kFactorOutside)}},
                                       .items = count,
                                       .batch = static_cast<std::size_t>(batch_),
                                       .constants = {std::as_bytes(std::span(grid_))},
                                       .input_bytes = {sizeof(double), sizeof(double), sizeof(double)},
                                       .output_bytes = sizeof(double),
                                       .options = job_options(input_)});
    batched_.values.resize(count);
    job_->run({std::as_bytes(std::span(queries_.h)), std::as_bytes(std::span(queries_.k)),
               std::as_bytes(std::span(queries_.l))},
              std::as_writable_bytes(std::span(batched_.values)));
  }

  WorkloadInput input_;
  std::string variant_;
  std::int64_t size_, batch_;
  std::vector<double> grid_;
  TricubicQueries queries_;
  BatchedFactors batched_;
  std::unique_ptr<opencl::DeviceJob> job_;
};

}  // namespace

double structure_factor(double h, double k, double l) {
  return 100 + 10 * h + 5 * k + 2 * l + 0.5 * h * k + 0.3 * k * l + 0.2 * h * l;
}

std::vector<double> structure_factor_grid() {
  std::vector<double> grid;
  for (int h = -kGridReach; h <= kGridReach; ++h)
    for (int k = -kGridReach; k <= kGridReach; ++k)
      for (int l = -kGridReach; l <= kGridReach; ++l) grid.push_back(structure_factor(h, k, l));
  return grid;
}

TricubicQueries make_queries(std::uint64_t seed, std::int64_t count, double outside_share) {
  const RandomKey key{seed, RandomStream::workload_input};
  TricubicQueries queries;
  for (std::vector<double>* index : {&queries.h, &queries.k, &queries.l})
    index->resize(static_cast<std::size_t>(count));
  parallel_for(static_cast<std::size_t>(count), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto [a, b] = uniform01_pair(key, i, 0);
      const auto [c, chance] = uniform01_pair(key, i, 1);
      const double reach = kGridReach - 1;
      queries.h[i] = reach * (2 * a - 1);
      queries.k[i] = reach * (2 * b - 1);
      queries.l[i] = reach * (2 * c - 1);
      // Just outside of the neighbours, and outside of the grid.
      if (chance < outside_share) queries.h[i] = (a < 0.5 ? -1 : 1) * (reach + 1e-3 + 3 * b);
    }
  });
  return queries;
}

BatchedFactors tricubic_fused(const std::vector<double>& grid, const TricubicQueries& queries,
                              std::int64_t batch) {
  const std::size_t count = queries.h.size(), per_call = static_cast<std::size_t>(batch);
  BatchedFactors factors{std::vector<double>(count), 0};
  std::atomic<std::int64_t> kernel_calls = 0;
  // A thread takes several small batches, so that it is worth its start; each remains its own call.
  parallel_for((count + per_call - 1) / per_call, std::max<std::size_t>(1, 32768 / per_call),
               [&](std::size_t first, std::size_t last) {
                 std::int64_t calls = 0;
                 for (std::size_t begin = first * per_call; begin < std::min(last * per_call, count);
                      begin += per_call, ++calls)
                   tricubic_range(grid.data(), queries.h.data() + begin, queries.k.data() + begin,
                                  queries.l.data() + begin, std::min(per_call, count - begin),
                                  factors.values.data() + begin);
                 kernel_calls += calls;
               });
  factors.kernel_calls = kernel_calls;
  return factors;
}

WorkloadSpec tricubic_workload() {
  std::vector<ParameterSpec> parameters = device_parameters();
  parameters.insert(parameters.begin(),
                    {variant_parameter(),
                     {"size", "px", std::int64_t{256}, 1, 4096, "size x size queries", {}},
                     {"batch", "rows", std::int64_t{64}, 1, 4096, "rows of `size` queries a call", {}},
                     {"outside_share", "1", 0.01, 0, 1, "share of queries without neighbours", {}}});
  return {.name = "tricubic",
          .summary = "tricubic interpolation of structure factors at random queries",
          .parameters = std::move(parameters),
          .throughput_unit = "Mqueries/s",
          .stages = {"tricubic", "device_build", "device_record"},
          .batches = true,
          .pixel_identity = "inside_worst_error",
          .prepare = make_run<TricubicRun>,
          .skip_reason = [](const WorkloadInput& input) { return device_skip_reason(input, true); }};
}

}  // namespace aqbench
