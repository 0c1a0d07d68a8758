#pragma once
// Small parts that several tests of the harness share.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "harness/planning/plan.h"
#include "harness/records/case_result.h"
#include "harness/running/journal.h"
#include "harness/running/run_case.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench::test {

// A run's stamp and start, as made-up journals have them.
inline constexpr const char* kStamp = "20260131T120000Z";
inline constexpr const char* kStarted = "2026-01-31T12:00:00Z";

using TemporaryFolder = TemporaryDirectory;

using aqbench::error_of;

// Two scenes, two simulated methods and one real one with presets, that no test runs.
inline const Catalogue& fake_catalogue() {
  const auto number = [](std::string name, double value, double min, double max) {
    return ParameterSpec{std::move(name), "m", value, min, max, "help", {}};
  };
  const auto count = [](std::string name, std::int64_t value) {
    return ParameterSpec{std::move(name), "1", value, 1, 1e6, "help", {}};
  };
  static const std::vector<SceneSpec> scenes = {
      {"flat_plane", "flat", {number("depth_m", 1.178, 1, 2)}},
      {"undulating", "waves", {number("amplitude_m", 0.005, 0, 0.1), number("wavelength_m", 0.05, 0.01, 1)}}};
  static const SimulatedMethod simulated = [](const SceneTruth&, const MethodInput&) {
    return Reconstruction{};
  };
  static const RealMethod real = [](const Observation&, const MethodInput&) { return Reconstruction{}; };
  static const std::vector<MethodSpec> methods = {
      {"lightglue_like", "sparse", {count("points", 1000)}, {}, {"simulate"}, simulated},
      {"roma_like", "dense", {count("points", 3000)}, {}, {"simulate", "dropout"}, simulated},
      {"plane_sweep",
       "images",
       {count("depths", 64), count("batch", 8)},
       {{"fast", {{"", "depths", "64"}}}, {"quality", {{"", "depths", "256"}, {"", "batch", "1"}}}},
       {"pipeline", "depth_estimation"},
       real}};
  static const std::vector<Suite> suites = {
      {"seed", "d", {"flat_plane", "undulating"}, {"lightglue_like", "roma_like"}, {42}, {}, {}}};
  static const std::vector<WorkloadSpec> workloads = {
      {"absorption", "kernel", {variant_parameter(), count("size", 256)}, "Mpx/s", "float64", {"absorption"}},
      {"sweep_kernel",
       "kernel",
       {count("batch", 4), count("size", 64)},
       "Mpx/s",
       "float64",
       {"sweep"},
       true}};
  static const Catalogue catalogue{scenes, methods, suites, workloads};
  return catalogue;
}

// A request for these scenes and methods, and possibly settings.
inline PlanRequest request_for(std::vector<std::string> scenes, std::vector<std::string> methods,
                               const std::vector<std::string>& sets = {}) {
  PlanRequest request;
  request.scenes = std::move(scenes);
  request.methods = std::move(methods);
  for (const std::string& set : sets) request.sets.push_back(parse_override(set));
  return request;
}

inline std::vector<std::string> case_names(const SweepPlan& plan) {
  std::vector<std::string> names;
  for (const Case& planned : plan.cases) names.push_back(planned.name);
  return names;
}

// A plan of `count` seeds of one fake case.
inline SweepPlan small_plan(std::size_t count, double timeout_s = 30) {
  PlanRequest request = request_for({"flat_plane"}, {"roma_like"});
  request.threads = 1;
  request.repeat = count;
  request.timeout_s = timeout_s;
  return plan_sweep(request, fake_catalogue());
}

// What a quick runner gives: everything follows from the case.
inline CaseResult quick_result(const Case& planned) {
  CaseResult result{planned_record(planned), {}};
  result.record.status = Status::ok;
  const auto seed = static_cast<double>(planned.seed);
  result.record.metrics = {{"accuracy_mean_mm", {1.0 / seed, "mm", Better::lower, ""}},
                           {"completeness_2mm_pct", {std::nullopt, "%", Better::higher, "no points"}}};
  result.record.output_sha256 = std::string(64, 'a');
  result.artefacts.emplace_back("tiles/" + file_name_of(planned.name) + ".csv", "column,row\n0,0\n");
  return result;
}

// The text of a bundle's journal, and how a test changes it.
inline std::string journal_text(const std::filesystem::path& bundle) {
  return read_file(bundle / kJournalFile);
}
inline void put_journal(const std::filesystem::path& bundle, const std::string& text) {
  std::ofstream(bundle / kJournalFile, std::ios::binary | std::ios::trunc) << text;
}

inline Journal new_journal(const std::filesystem::path& bundle, const SweepPlan& plan) {
  return Journal::create(bundle, plan, kStamp, kStarted);
}

// Continues the journal of a sweep.
inline Journal resume(const std::filesystem::path& bundle, const SweepPlan& plan,
                      const JournalResumption& now = {}) {
  return Journal::resume(bundle, journal_header_of(plan), now);
}

}  // namespace aqbench::test
