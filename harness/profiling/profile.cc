#include "harness/profiling/profile.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/json.h"
#include "core/parallel.h"
#include "core/resources.h"
#include "core/scratch_folder.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/measuring/libraries.h"
#include "harness/measuring/samplers.h"
#include "harness/measuring/stage_recorder.h"
#include "harness/planning/case_options.h"
#include "harness/records/profile_details.h"
#include "harness/running/case_input.h"
#include "harness/running/case_process.h"
#include "harness/running/measured_case.h"
#include "harness/running/method_process.h"
#include "harness/running/method_run.h"
#include "harness/running/run_case.h"
#include "pipeline/method/method.h"
#include "pipeline/opencl/opencl.h"
#include "scenes/registry.h"

namespace aqbench {

// Samplers find this function by name: frames outside it belong to the harness. It must not be inlined.
__attribute__((noinline)) void run_profiled_target(const std::function<void()>& run) {
  run();
  asm volatile("" ::: "memory");  // no tail call: the frame must stay
}

namespace {

constexpr const char* kRootFunction = "run_profiled_target";
constexpr double kSampledFor_s = 2;
constexpr int kMaxSampledRuns = 2000;

// The work of one case, prepared once with scene, images and inputs, and run repeatedly.
struct ProfileTarget {
  std::function<void()> run;    // all of the work once; throws the method's errors
  std::function<void()> prove;  // throws if the last run's output is wrong; empty: no proof
};

ProfileTarget workload_target(const Case& planned) {
  if (const auto reason = workload_skip_reason(planned)) throw Error(ErrorKind::method, *reason);
  const WorkloadSpec& spec = find_workload(planned.workload);
  const std::shared_ptr<WorkloadRun> run = spec.prepare(workload_input(planned, spec));
  return {[run] { run->run_once(); },
          [run] {
            MetricSet ignored;
            prove_output(*run, ignored);
          }};
}

// Each run gets an empty folder for the method's files, like a case of a sweep.
ProfileTarget real_target(const MethodTask& task, RealMethod run) {
  return {[&task, run] {
            for (const auto& entry : std::filesystem::directory_iterator(task.input.work_dir))
              std::filesystem::remove_all(entry.path());
            check_output(run(task.observation, task.input));
          },
          {}};
}

ProfileTarget simulated_target(const Case& planned, const MethodSpec& method, const MethodInput& input) {
  const auto scene = std::make_shared<Scene>(make_scene(planned.scene, planned.overrides));
  return {[scene, input, run = std::get<SimulatedMethod>(method.run)] { run(scene->truth, input); }, {}};
}

// `task` is that of a real method, in whose process this is called (harness/running/method_process.h), and
// must outlive the target; nullptr for all others. Throws an Error naming what cannot be prepared,
// Error(method) with the reason if the case cannot run here.
ProfileTarget prepare_profile_target(const Case& planned, const MethodTask* task) {
  set_thread_count(planned.threads);
  set_library_threads(planned.threads);
  if (!planned.workload.empty()) return workload_target(planned);
  const MethodSpec& method = method_of(planned);
  if (const auto reason = method_skip_reason(planned, method)) throw Error(ErrorKind::method, *reason);
  if (task != nullptr) return real_target(*task, std::get<RealMethod>(method.run));
  return simulated_target(planned, method, method_input(planned, method, {}));
}

class ProfileRun {
 public:
  ProfileRun(const Case& planned, const ProfileOptions& options, const MethodTask* task, CaseBoard& board,
             CaseResult& result)
      : options_(options),
        board_(board),
        result_(result),
        injector_(planned.faults, board),
        has_faults_(!planned.faults.empty()),
        starts_program_(starts_program(planned)),
        target_(prepare_profile_target(planned, task)) {
    watch_tensor_memory_of_pool();  // no fork follows
  }

  void cold() {
    StageRecorder memory({.resident_peak = true});
    BoardMarker marker(board_);
    board_.set_phase("cold");
    result_.record.timing.cold_ms = observed({&marker, &memory});
    if (injector_.corrupts_output())
      throw usage_error("--inject ...=corrupt: not supported by profiles, which keep no output");
    if (target_.prove) target_.prove();
    memory.finish_repetition();
    peaks_ = memory.stages();
  }

  void pairs() {
    StageRecorder recorder({.cpu_time = true, .tensor_memory = !starts_program_, .device_time = true});
    recorder.watch_memory(false);
    keep_freed_memory();
    board_.set_phase("warming up");  // maps the memory that the cold run gave back; its time is discarded
    observed({});
    for (int i = 0; i < options_.repetitions; ++i) {
      board_.set_phase(fmt::format("profiled {} of {}", i + 1, options_.repetitions));
      if (options_.plain_runs && i % 2 == 0) details_.plain_ms.push_back(observed({}));
      profiled(recorder);
      if (options_.plain_runs && i % 2 == 1) details_.plain_ms.push_back(observed({}));
    }
    result_.record.timing.warm_ms = details_.plain_ms;
    result_.record.stages = recorder.stages();
    details_.shown = shown_run(details_.profiled_ms);
    add_peaks();
    result_.record.metrics = profile_metrics(details_, result_.record.stages);
  }

  void trace() {
    StageRecorder recorder({.tensor_memory = !starts_program_});
    TraceRecorder trace(&recorder.tensor_bytes());
    const UserScopeBridge foreign;
    BoardMarker marker(board_);
    board_.set_phase("traced");
    observed({&marker, &trace, &recorder});
    details_.trace_events_left_out = trace.left_out();
    add_file(kProfileTraceFile, trace.json(result_.record.case_name));
  }

  void sample() {
    choose_sampler();
    if (details_.sampler == "none") return;
    board_.set_phase("sampled");
    FoldedStacks stacks;
    if (details_.sampler == "perf") try {
        stacks = sample_with_perf();
      } catch (const Error& error) {
        details_.sampler = starts_program_ ? "none" : "in-process";
        details_.sampler_note = one_line(fmt::format("perf failed: {}", error.what()));
      }
    if (details_.sampler == "none") return;
    if (details_.sampler == "in-process") {
      CpuSampler sampler(options_.samples_per_s);
      run_sampled({&sampler});
      CpuSamples samples = sampler.finish(kRootFunction);
      details_.lost_samples = samples.lost;
      stacks = std::move(samples.stacks);
    }
    add_file(kProfileStacksFile, folded_text(stacks));
  }

  void finish() {
    details_.device_time_note = opencl::opened_table() != nullptr ? "" : "only OpenCL devices report it";
    add_file(kProfileDetailsFile, to_json(details_).dump(1) + "\n");
    result_.record.status = Status::ok;
  }

 private:
  // Runs the target once with these observers, outermost first; faults act inside all of them. Returns the
  // time in ms.
  double observed(std::vector<StageObserver*> observers) {
    if (has_faults_) observers.push_back(&injector_);
    ObserverChain chain(observers);
    std::optional<ScopedObserver> observe;
    if (!observers.empty()) observe.emplace(chain);
    const auto start = SteadyClock::now();
    run_profiled_target(target_.run);
    return ms_since(start);
  }

  void profiled(StageRecorder& recorder) {
    recorder.watch_memory(true);
    {
      const UserScopeBridge foreign;
      details_.profiled_ms.push_back(observed({&recorder}));
    }
    recorder.watch_memory(false);
    recorder.finish_repetition();
  }

  // Samples come with the kernel's tick. Runs shorter than a tick synchronise with it and always sample the
  // same few lines: a varying pause of part of a tick, once per tick, prevents that.
  void run_sampled(const std::vector<StageObserver*>& observers) {
    timespec tick{};
    ::clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    const double tick_ms = static_cast<double>(tick.tv_sec) * 1e3 + static_cast<double>(tick.tv_nsec) * 1e-6;
    double run_ms = 0, since_pause_ms = 0, part = 0;
    for (int run = 0; run < kMaxSampledRuns && run_ms < kSampledFor_s * 1e3; ++run) {
      const double time_ms = observed(observers);
      run_ms += time_ms;
      since_pause_ms += time_ms;
      if (since_pause_ms < tick_ms) continue;
      part = std::fmod(part + 1 / std::numbers::phi,
                       1);  // multiples of the golden ratio are spread evenly in [0, 1)
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(part * tick_ms));
      since_pause_ms = 0;
    }
  }

  FoldedStacks sample_with_perf() {
    const ScratchFolder scratch;
    PerfSampler sampler(options_.samples_per_s, (scratch.path() / "perf.data").string());
    sampler.enable();
    run_sampled({});
    return sampler.finish(kRootFunction);
  }

  // perf follows child processes; the in-process sampler would only see this process wait.
  void choose_sampler() {
    const SamplerChoice choice = options_.sampler;
    const bool asked = choice == SamplerChoice::perf, automatic = choice == SamplerChoice::automatic;
    details_.sampler =
        choice == SamplerChoice::none || (starts_program_ && (asked || automatic)) ? "none" : "in-process";
    if (!asked && !automatic) return;
    if (automatic && !starts_program_ &&
        build_info().flags.find("-fno-omit-frame-pointer") == std::string::npos) {
      details_.sampler_note =
          "perf needs frame pointers, which this build lacks (`make profile` builds with them; --sampler "
          "perf uses perf anyway)";
      return;
    }
    const std::string problem = perf_problem();
    if (asked && !problem.empty()) throw Error(ErrorKind::usage, "--sampler perf: " + problem);
    if (problem.empty())
      details_.sampler = "perf";
    else
      details_.sampler_note =
          (starts_program_ ? "only perf can sample the program, which is another process:  " : "") + problem;
  }

  void add_peaks() {
    for (StageRecord& stage : result_.record.stages)
      if (const StageRecord* const peak = find_stage(peaks_, stage); peak != nullptr)
        stage.resident_peak_bytes = peak->resident_peak_bytes;
  }

  void add_file(const char* file, std::string bytes) {
    result_.artefacts.emplace_back(profile_file(result_.record.case_name, file), std::move(bytes));
  }

  const ProfileOptions& options_;
  CaseBoard& board_;
  CaseResult& result_;
  FaultInjector injector_;
  bool has_faults_, starts_program_;
  ProfileTarget target_;
  ProfileDetails details_;
  std::vector<StageRecord> peaks_;  // of the cold run
};

// Profiles in this process.
CaseResult profile_here(const Case& planned, const ProfileOptions& options, const MethodTask* task,
                        CaseBoard& board) {
  CaseResult result{planned_record(planned), {}};
  Record& record = result.record;
  try {
    ProfileRun run(planned, options, task, board, result);
    run.cold();
    run.pairs();
    if (options.trace) run.trace();
    run.sample();
    run.finish();
  } catch (...) {
    note_failure(record);
    result.artefacts.clear();  // only cases that ended well have profile files
  }
  for (std::size_t i = 0; i < record.injected.size(); ++i) record.injected[i].times = board.fault_count(i);
  return result;
}

// Renders the images and profiles the method in a process that sees nothing else of them.
CaseResult profile_apart(const Case& planned, const MethodSpec& method, const ProfileOptions& options,
                         CaseBoard& board) {
  const std::filesystem::path scratch = board.scratch_dir();
  const MethodTask task = method_task(planned, method, scratch, board);
  MethodProcess process(task, board, scratch,
                        [&] { return encode_case_result(profile_here(planned, options, &task, board)); });
  const Observed observed = observe(planned, scratch);  // stays in the cache while the method runs
  const IsolateOutcome outcome = process.run();
  CaseResult result = result_of(planned, outcome, process.options(), board);
  result.record.dataset_sha256 = observed.sha256;
  return result;
}

}  // namespace

void check(const ProfileOptions& options) {
  if (options.repetitions < 1 || options.repetitions > 1000)
    throw usage_error("--repetitions {}: must be from 1 to 1000", options.repetitions);
  if (!(options.samples_per_s >= 1 && options.samples_per_s <= 10000))
    throw usage_error("--samples {}: must be from 1 to 10000 a second", options.samples_per_s);
}

CaseResult run_profile(const Case& planned, const ProfileOptions& options, CaseBoard& board) {
  if (!planned.workload.empty() || planned.simulated) return profile_here(planned, options, nullptr, board);
  try {
    return profile_apart(planned, method_of(planned), options, board);
  } catch (...) {
    CaseResult failed{planned_record(planned), {}};
    note_failure(failed.record);
    return failed;
  }
}

}  // namespace aqbench
