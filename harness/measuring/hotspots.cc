#include "harness/measuring/hotspots.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace aqbench {
namespace {

constexpr double kUnexpectedShare = 0.10;  // of self time, to be worth a warning
constexpr double kUnresolvedShare = 0.20;
constexpr std::size_t kHottest = 10;

// A kind of overhead. A sample counts for the kind of its innermost matching function.
struct OverheadKind {
  std::string name;                   // "allocation"
  std::vector<std::string> patterns;  // parts of a function's name, anywhere in the stack
  // Parts of the innermost function's name only: elsewhere in the stack such a function calls the work
  // itself.
  std::vector<std::string> innermost;
  double warn_share = 0;  // of all samples
  std::string advice;
};

// A function expected to be hot in a method or workload.
struct ExpectedHotspot {
  std::string target;   // part of the name of the method or workload
  std::string pattern;  // part of the function's name
  std::string why;
};

bool contains_any(std::string_view function, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return function.find(pattern) != std::string_view::npos; });
}

// Returns the table of expected hot functions.
const std::vector<ExpectedHotspot>& expected_hotspots() {
  static const std::vector<ExpectedHotspot> table = {
      {"plane_sweep", "warp_row", "the warp samples every source at every pixel and depth"},
      {"plane_sweep", "zncc", "the cost sums windows at every pixel and depth"},
      {"plane_sweep", "centred_row", "the cost sums windows at every pixel and depth"},
      {"plane_sweep", "CostScorer", "the cost sums windows at every pixel and depth"},
      {"plane_sweep", "nearest_in_runs", "fusion looks for the neighbours of every point"},
      {"plane_sweep", "to_local", "fusion fits a patch of surface to the neighbours of every point"},
      {"plane_sweep", "libOpen3D",
       "Poisson's equation for the mesh (plane_sweep.surface=none leaves it out)"},
      {"plane_sweep", "RegularTreeNode",
       "Poisson's equation for the mesh (plane_sweep.surface=none leaves it out)"},
      {"sparse", "cv::", "OpenCV finds and matches features"},
      {"dense_flow", "cv::", "OpenCV's optical flow between views"},
      {"synthetic_profile", "grid_sample", "warps and undistortion sample images"},
      {"synthetic_profile", "[libtorch_cpu", "kernels of LibTorch, which Debian ships without symbols"},
      {"synthetic_profile", "gemm", "distances and descriptors are matrix products"},
      {"absorption", "absorption", "the kernel itself"},
      {"absorption", "exp", "one exponential a layer"},
      {"absorption", "sin", "the crystal's interference function"},
      {"absorption", "[libtorch_cpu", "kernels of LibTorch, which Debian ships without symbols"},
      {"tricubic", "tricubic", "the kernel itself"},
      {"tricubic", "[libtorch_cpu", "kernels of LibTorch, which Debian ships without symbols"},
      {"equirect", "png", "decoding and encoding"},
      {"equirect", "jpeg", "decoding and encoding"},
      {"equirect", "deflate", "encoding PNG"},
      {"equirect", "inflate", "decoding PNG"},
      {"equirect", "libz", "decoding and encoding PNG"},
      {"equirect", "sample_taps", "the views are sampled"},
      {"equirect", "[libtorch_cpu", "kernels of LibTorch, which Debian ships without symbols"},
      {"_like", "philox", "a simulated method draws random numbers"},
      {"_like", "normal_pair", "a simulated method draws random numbers"},
      {"_like", "uniform01", "a simulated method draws random numbers"},
      {"_like", "libm.so", "logarithm and sine make Gaussian noise"},
      {"_like", "_fma", "logarithm and sine make Gaussian noise"},
      {"_like", "Surface", "a simulated method asks the true surface for points"},
      {"_like", "sample", "a simulated method draws positions on the surface"},
  };
  return table;
}

std::string expected_reason(std::string_view function, std::string_view target) {
  for (const ExpectedHotspot& hotspot : expected_hotspots())
    if (target.find(hotspot.target) != std::string_view::npos &&
        function.find(hotspot.pattern) != std::string_view::npos)
      return hotspot.why;
  return {};
}

// Returns the kinds of overhead.
const std::vector<OverheadKind>& overhead_kinds() {
  static const std::vector<OverheadKind> table = {
      {"allocation",
       {"malloc", "calloc", "realloc", "memalign", "aligned_alloc", "_int_free", "cfree", "operator new",
        "operator delete", "alloc_cpu", "free_cpu", "mmap", "munmap", "madvise", "page_fault", "clear_page",
        "clear_huge_page", "do_anonymous_page", "do_huge_pmd_anonymous_page"},
       {},
       0.05,
       "reuse buffers, or allocate once outside the loop"},
      {"locks",
       {"pthread_mutex", "lll_lock", "pthread_rwlock", "pthread_cond", "std::mutex",
        "native_queued_spin_lock"},
       {},
       0.05,
       "hold locks for less time, or give each thread its own part"},
      {"copies",
       {"memcpy", "memmove", "direct_copy_kernel", "copy_kernel", "at::native::copy_", "_copy_impl",
        "at::native::clone", "at::native::contiguous"},
       {},
       0.15,
       "avoid unnecessary clone(), contiguous() and conversions"},
      {"thread pool",
       {"sched_yield", "pthread_create", "barrier_wait"},
       {"gomp", "[libgomp", "omp_", "tbb::", "[libtbb", "blas_thread_server", "pthreadpool"},
       0.10,
       "fewer threads, or larger pieces of work per thread"},
  };
  return table;
}

const OverheadKind* overhead_of(const std::vector<std::string_view>& functions) {
  for (auto function = functions.rbegin(); function != functions.rend(); ++function)
    for (const OverheadKind& kind : overhead_kinds())
      if (contains_any(*function, kind.patterns) ||
          (function == functions.rbegin() && contains_any(*function, kind.innermost)))
        return &kind;
  return nullptr;
}

void warn_of_overheads(const std::map<const OverheadKind*, std::uint64_t>& samples, HotspotReport& report) {
  for (const OverheadKind& kind : overhead_kinds()) {
    const auto found = samples.find(&kind);
    if (found == samples.end()) continue;
    const double share = static_cast<double>(found->second) / static_cast<double>(report.samples);
    if (share >= kind.warn_share)
      report.warnings.push_back(
          fmt::format("{} takes {:.0f} % of the CPU samples: {}", kind.name, 100 * share, kind.advice));
  }
}

void warn_of_quality(HotspotReport& report) {
  if (report.samples < kFewSamples)
    report.warnings.push_back(
        fmt::format("only {} CPU samples (fewer than {}): shares are rough; profile a longer run",
                    report.samples, kFewSamples));
  if (report.unresolved_share >= kUnresolvedShare)
    report.warnings.push_back(
        fmt::format("{:.0f} % of the CPU samples end in code without symbols: install the library's debug "
                    "symbols, or look at the library's name in brackets",
                    100 * report.unresolved_share));
}

}  // namespace

std::string hotspots_markdown() {
  std::string text =
      "| overhead | warned of from | functions whose names contain | what helps |\n|---|---|---|---|\n";
  for (const OverheadKind& kind : overhead_kinds()) {
    std::string patterns;
    for (const std::string& pattern : kind.patterns)
      patterns += (patterns.empty() ? "`" : ", `") + pattern + "`";
    for (const std::string& pattern : kind.innermost)
      patterns += (patterns.empty() ? "`" : ", `") + pattern + "` (innermost)";
    text +=
        fmt::format("| {} | {:.0f} % | {} | {} |\n", kind.name, 100 * kind.warn_share, patterns, kind.advice);
  }
  text += "\n| method or workload | expected to be hot | why |\n|---|---|---|\n";
  for (const ExpectedHotspot& hotspot : expected_hotspots())
    text += fmt::format("| `{}` | `{}` | {} |\n", hotspot.target, hotspot.pattern, hotspot.why);
  return text;
}

HotspotReport find_hotspots(const FoldedStacks& stacks, std::string_view target) {
  HotspotReport report;
  report.samples = sample_count(stacks);
  if (report.samples == 0) {
    report.warnings.push_back("no CPU samples: the run was too short, or it only waited");
    return report;
  }
  std::map<std::string, std::uint64_t, std::less<>> self;
  std::map<const OverheadKind*, std::uint64_t> overheads;
  std::uint64_t unresolved = 0;
  for (const auto& [stack, count] : stacks) {
    const auto functions = functions_of(stack);
    self[std::string(functions.back())] += count;
    if (is_unresolved(functions.back())) unresolved += count;
    if (const OverheadKind* const kind = overhead_of(functions)) overheads[kind] += count;
  }
  const auto total = static_cast<double>(report.samples);
  report.unresolved_share = static_cast<double>(unresolved) / total;
  for (const auto& [name, count] : self)
    report.hottest.push_back({name, static_cast<double>(count) / total, expected_reason(name, target)});
  std::ranges::stable_sort(report.hottest, std::greater{}, &HotFunction::self_share);
  if (report.hottest.size() > kHottest) report.hottest.resize(kHottest);
  warn_of_overheads(overheads, report);
  for (const HotFunction& hot : report.hottest)
    if (hot.self_share >= kUnexpectedShare && hot.expected.empty())
      report.warnings.push_back(
          fmt::format("unexpected hotspot: {} takes {:.0f} % by itself", hot.name, 100 * hot.self_share));
  warn_of_quality(report);
  return report;
}

}  // namespace aqbench
