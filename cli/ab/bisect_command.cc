// `aqbench bisect`: which commit made a program slower, or its results worse.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/ab/options.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/processes/stop_signals.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/ab/bisect.h"
#include "harness/ab/deciding_time.h"
#include "harness/ab/decision.h"
#include "harness/ab/report.h"
#include "harness/ab/unit.h"
#include "harness/records/results.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

struct BisectRequest {
  std::string good, bad = "HEAD", build, run, benchmark, sweep, metric, margin;
  bool gbench = false;
  DecideBy decide_by = DecideBy::automatic;
  BisectOptions options;
  double timeout_s = 600;
  fs::path out = "bisect";
  bool json = false;
};

CommandLine<BisectRequest> bisect_command_line() {
  return {
      "aqbench bisect --good COMMIT [--bad COMMIT] --build CMD\n"
      "               (--run CMD | --gbench CMD --benchmark NAME | --sweep ARG --metric NAME)",
      "Which commit made it slower, or worse? Bisects the first parents between a good and a bad commit\n"
      "of the repository in this folder. Each test measures a commit and the good one by turns, and\n"
      "needs an exact interval on one side of half the change; what stays open or does not build is left\n"
      "out, so the answer is a commit or the smallest range that the data allow. Work trees are built once\n"
      "and kept in --out; the checkout here is not touched. The commands run with your rights.\n"
      "\n"
      "  aqbench bisect --good v1.2 --build 'make bench' --gbench build/bench --benchmark BM_sort/8\n"
      "  aqbench bisect --good v1.2 --build make --sweep '--method mine --scene step'\n"
      "                 --metric accuracy_rmse_mm\n"
      "\n"
      "Exit 0 a commit was found, 2 usage or input, 5 a range, or the bad commit is not slower or\n"
      "worse for certain, 130 interrupted.",
      {{"good", "COMMIT", "a commit that is fast or good", into<&BisectRequest::good>},
       {"bad", "COMMIT", "a later one that is slow or worse", into<&BisectRequest::bad>, usually("HEAD")},
       {"build", "CMD", "builds a work tree, a line for a shell in its folder", into<&BisectRequest::build>},
       {"run", "CMD", "the command that is timed, in the folder of a work tree", into<&BisectRequest::run>},
       {"gbench", "CMD", "a program of Google Benchmark, judged by the time per iteration that it measures",
        [](BisectRequest& r, const FlagValue& v) {
          r.run = v.text;
          r.gbench = true;
        },
        needs("benchmark")},
       {"benchmark", "NAME", "the benchmark of that program", into<&BisectRequest::benchmark>,
        needs("gbench")},
       {"sweep", "ARG",
        "the arguments of aqbench sweep for one case, in the folder of a work tree; each pair has a seed",
        into<&BisectRequest::sweep>, needs("metric")},
       {"metric", "NAME", "the metric of that case that became worse", into<&BisectRequest::metric>,
        needs("sweep")},
       {"margin", "[NAME=]X[%]", "how much of it does not matter: a share or in its unit (default 5%)",
        into<&BisectRequest::margin>, needs("metric")},
       {"decide-by", "wall|cpu",
        "the time that decides (default: CPU time where the machine is loaded and the "
        "program uses one thread, else wall time)",
        [](BisectRequest& r, const FlagValue& v) {
          r.decide_by = read_decide_by(v);
          if (r.decide_by == DecideBy::both) v.refuse_text("expected wall or cpu");
        }},
       {"pairs", "N", "pairs of the first look at a commit; three more looks double them (16)",
        [](BisectRequest& r, const FlagValue& v) {
          r.options.pairs = v.at_least<std::size_t>(10);
          // All looks together have eight times as many.
          if (const std::size_t most = max_pairs_per_look(8); r.options.pairs > most)
            v.refuse(r.options.pairs, fmt::format("must be at most {}", most));
        }},
       {"timeout", "S", "seconds for a build or a run (600)",
        [](BisectRequest& r, const FlagValue& v) { r.timeout_s = v.positive(); }},
       {"out", "DIR", "folder of the work trees; those that are there are used again",
        into<&BisectRequest::out>, usually("bisect")},
       {"json", nullptr, "print the answer and every test as JSON", into<&BisectRequest::json>}}};
}

std::string git(const std::vector<std::string>& words) {
  const ProgramAnswer answer = ask_git(fs::current_path(), words, 120);
  if (!answer.ok) throw input_error("git {}: {}", words.front(), answer.problem);
  return answer.output;
}

// A commit of the history, and its work tree once it is built.
struct BisectCommit {
  std::string hash, subject;
  std::optional<std::string> problem = {};  // set once it was built: "" or why it could not be
};

std::vector<BisectCommit> commits_between(const BisectRequest& request) {
  const std::string good = git({"rev-parse", "--verify", request.good + "^{commit}"}),
                    bad = git({"rev-parse", "--verify", request.bad + "^{commit}"});
  std::vector<BisectCommit> commits;
  const std::string log = git({"log", "--first-parent", "--reverse", "--format=%H %s", good + ".." + bad});
  for (const std::string_view line : split_at(log, '\n'))
    if (const std::size_t space = line.find(' '); space != std::string_view::npos)
      commits.push_back({std::string(line.substr(0, space)), one_line(line.substr(space + 1))});
  if (commits.empty()) throw input_error("--bad {}: no commit follows --good {}", request.bad, request.good);
  commits.insert(commits.begin(), {good, one_line(git({"log", "-1", "--format=%s", good}))});
  return commits;
}

class CommitRunner {
 public:
  CommitRunner(const BisectRequest& request, std::vector<BisectCommit>& commits, int cancel_descriptor)
      : request_(request), commits_(commits), out_(fs::absolute(request.out)) {
    make_folders(out_);
    limits_.process.timeout_s = request.timeout_s;
    limits_.process.cancel_descriptor = cancel_descriptor;
    plan_.rules.gbench = request.gbench;
    plan_.benchmark = request.benchmark;
  }

  BisectPairs measure(std::size_t commit, std::size_t first, std::size_t pairs) {
    BisectPairs measured;
    for (const std::size_t one : {std::size_t{0}, commit}) {
      const std::string problem = build(commits_[one]);
      if (problem.empty()) continue;
      if (one == 0) throw input_error("--good {}: {}", request_.good, problem);
      measured.failure = problem;
      return measured;
    }
    fmt::print(stderr, "aqbench: {}: {}\n", short_name(commit), counted(pairs, "pair"));
    if (!request_.sweep.empty()) return measure_metric(commit, first, pairs);
    for (std::size_t i = 0; i < pairs; ++i) {
      const bool other_first = b_runs_first(kOrderSeed + commit, first + i);
      for (const bool other : {other_first, !other_first}) {
        const Record unit = run(commits_[other ? commit : 0]);
        if (unit.status != Status::ok) {
          if (!other) throw input_error("--good {}: {}", request_.good, unit.reason);
          measured.failure = unit.reason;
          return measured;
        }
        (other ? measured.other : measured.good).push_back(time_of(unit));
      }
    }
    return measured;
  }

  std::string short_name(std::size_t commit) const { return commits_[commit].hash.substr(0, 12); }
  // Says which time decides; empty before the first run.
  const std::string& why() const { return why_; }

 private:
  static constexpr std::uint64_t kOrderSeed = 42;

  fs::path folder_of(const BisectCommit& commit) const { return out_ / commit.hash.substr(0, 12); }

  // Builds the work tree of a commit, unless it is there; returns why it cannot be built.
  std::string build(BisectCommit& commit) {
    if (commit.problem) return *commit.problem;
    const fs::path folder = folder_of(commit), done = out_ / (commit.hash.substr(0, 12) + ".built");
    // A work tree that another command built is built again.
    if (is_file(done) && folder_exists(folder) && read_file(done) == request_.build)
      return *(commit.problem = "");
    fmt::print(stderr, "aqbench: building {}: {}\n", commit.hash.substr(0, 12), printable(commit.subject));
    if (!folder_exists(folder))
      git({"worktree", "add", "--force", "--detach", "--quiet", folder.string(), commit.hash});
    IsolateOptions options = limits_.process;
    options.log_file = out_ / (commit.hash.substr(0, 12) + ".log");
    const ProgramAnswer answer =
        ask_program({"/bin/sh", "-c", "cd \"$0\" && " + request_.build, folder.string()}, options);
    if (answer.end == IsolateOutcome::End::cancelled) throw Error(ErrorKind::interrupted, "interrupted");
    if (!answer.ok) return *(commit.problem = "does not build: " + answer.problem);
    write_file(done, request_.build);
    return *(commit.problem = "");
  }

  // What one seed gives at the good commit is measured once.
  BisectPairs measure_metric(std::size_t commit, std::size_t first, std::size_t pairs) {
    BisectPairs measured;
    why_ = request_.metric + " over seeds";
    if (const std::size_t known = good_values_.size(); known < first + pairs) {
      const std::string problem = sweep(commits_[0], known, first + pairs - known, good_values_);
      if (!problem.empty()) throw input_error("--good {}: {}", request_.good, problem);
    }
    const auto begin = good_values_.begin() + static_cast<std::ptrdiff_t>(first);
    measured.good.assign(begin, begin + static_cast<std::ptrdiff_t>(pairs));
    measured.failure = sweep(commits_[commit], first, pairs, measured.other);
    return measured;
  }

  // Appends the metric of so many seeds; returns why a commit does not have it.
  std::string sweep(const BisectCommit& commit, std::size_t first, std::size_t pairs,
                    std::vector<double>& values) {
    const std::string line =
        fmt::format("cd \"$0\" && exec \"$1\" sweep {} --seed {} --repeat {} --out \"$2\" --json",
                    request_.sweep, kOrderSeed + first, pairs);
    IsolateOptions options = limits_.process;
    options.timeout_s *= static_cast<double>(pairs);
    const ProgramAnswer answer =
        ask_program({"/bin/sh", "-c", line, folder_of(commit).string(),
                     fs::read_symlink("/proc/self/exe").string(), (out_ / "sweeps").string()},
                    options);
    if (answer.end == IsolateOutcome::End::cancelled) throw Error(ErrorKind::interrupted, "interrupted");
    if (!answer.ok) return answer.problem;
    const Results results = results_from_text(answer.output, "sweep");
    if (results.records.size() != pairs)
      throw usage_error("--sweep '{}': has {} for {}, must be one for each", request_.sweep,
                        counted(results.records.size(), "case"), counted(pairs, "seed"));
    std::vector<std::pair<std::int64_t, double>> by_seed;
    for (const Record& record : results.records) {
      const Metric* const metric = find_metric(record.metrics, request_.metric);
      if (metric == nullptr || !metric->value)
        return fmt::format("{}: {} is {}", record.case_name, request_.metric,
                           metric == nullptr ? "missing" : "undefined: " + metric->reason);
      by_seed.emplace_back(std::get<std::int64_t>(*find_value(record.axes, "seed")), *metric->value);
    }
    std::ranges::sort(by_seed);
    for (const auto& [seed, value] : by_seed) values.push_back(value);
    return {};
  }

  Record run(const BisectCommit& commit) {
    auto answer = run_command_unit({request_.run, folder_of(commit).string()}, plan_, limits_);
    if (!answer) throw Error(ErrorKind::interrupted, "interrupted");
    return std::move(answer->unit);
  }

  // The time that decides, chosen at the first run.
  double time_of(const Record& unit) {
    if (why_.empty()) choose(unit);
    const std::vector<double>* const values = compared_values(unit, case_);
    if (values == nullptr) throw input_error("--decide-by cpu: the benchmark has no CPU time of one thread");
    return unit_median(*values);
  }

  void choose(const Record& unit) {
    const auto load = load_of_this_machine();
    const bool by_cpu =
        request_.decide_by == DecideBy::cpu ||
        (request_.decide_by == DecideBy::automatic && load && load->is_high() && uses_one_thread(unit));
    if (by_cpu) case_.decided_by = DecidingTime::cpu;
    why_ = by_cpu ? "CPU time" : "wall time";
    if (load)
      why_ += fmt::format(", load {:.1f} on {}", load->load_1m, counted(load->processors, "processor"));
  }

  const BisectRequest& request_;
  std::vector<BisectCommit>& commits_;
  fs::path out_;
  UnitLimits limits_;
  CommandUnitPlan plan_;
  AbCase case_{"bisection", std::nullopt};
  std::string why_;
  std::vector<double> good_values_;  // of a metric, by seed
};

std::string answer_text(const Bisection& found, const std::vector<BisectCommit>& commits) {
  const PairedComparison& whole = *found.steps.front().comparison;
  const std::string change = fmt::format("{} ({})", ab_change_text(whole), ab_interval_text(whole));
  const char* const worse = whole.quality ? "worse" : "slower";
  if (!found.differs)
    return fmt::format("INCONCLUSIVE: the bad commit is not certainly {}: {}", worse, change);
  const auto named = [&](std::size_t i) {
    return fmt::format("{} {}", commits[i].hash.substr(0, 12), printable(commits[i].subject));
  };
  return found.is_one_commit()
             ? fmt::format("FIRST {} COMMIT {}\n{} in all", whole.quality ? "WORSE" : "SLOWER",
                           named(found.first_bad), change)
             : fmt::format("INCONCLUSIVE: one of {} after {}, up to {}\n{} in all",
                           counted(found.first_bad - found.last_good, "commit"), named(found.last_good),
                           named(found.first_bad), change);
}

Json answer_json(const Bisection& found, const std::vector<BisectCommit>& commits,
                 const std::string& decided_by) {
  Json steps = Json::array();
  for (const BisectStep& step : found.steps) {
    Json one = {
        {"commit", commits[step.commit].hash}, {"verdict", to_string(step.verdict)}, {"reason", step.reason}};
    if (step.comparison)
      one.update({{"pairs", step.comparison->measured_pairs},
                  {"change", rounded_json(change_of(step.comparison->scale, step.comparison->whole.shift))}});
    steps.push_back(std::move(one));
  }
  return {{"found", found.is_one_commit() ? Json(commits[found.first_bad].hash) : Json(nullptr)},
          {found.steps.front().comparison->quality ? "worse" : "slower", found.differs},
          {"last_good", commits[found.last_good].hash},
          {"first_bad", commits[found.first_bad].hash},
          {"decided_by", decided_by},
          {"steps", std::move(steps)}};
}

}  // namespace

ExitCode bisect_command(const Arguments& arguments) {
  auto request = parse(bisect_command_line(), arguments);
  for (const auto& [flag, value] : {std::pair("good", &request.good), {"build", &request.build}})
    if (value->empty()) throw usage_error("--{} is missing", flag);
  if (request.run.empty() == request.sweep.empty())
    throw usage_error("expected one of --run, --gbench and --sweep");
  if (!request.sweep.empty()) {
    if (request.decide_by != DecideBy::automatic) throw usage_error("--decide-by: --metric decides");
    AbMetricRequest metric;
    metric.names = {request.metric};
    if (!request.margin.empty()) metric.margins = {request.margin};
    request.options.quality = quality_scale_of(metric_outcomes(metric).front());
  }
  std::vector<BisectCommit> commits = commits_between(request);
  fmt::print(stderr, "aqbench: {} after {}\n", counted(commits.size() - 1, "commit"), request.good);
  const StopSignals signals;
  CommitRunner runner(request, commits, signals.descriptor());
  const auto show = [&](const BisectStep& step) {
    if (request.json) return;
    const std::string what = step.comparison ? fmt::format("{} ({}), {}", ab_change_text(*step.comparison),
                                                           ab_interval_text(*step.comparison),
                                                           counted(step.comparison->measured_pairs, "pair"))
                                             : step.reason;
    fmt::print("{}  {:<9}  {}\n", runner.short_name(step.commit), to_string(step.verdict), printable(what));
    std::fflush(stdout);
  };
  const Bisection found = bisect(
      commits.size(),
      [&](std::size_t commit, std::size_t first, std::size_t pairs) {
        return runner.measure(commit, first, pairs);
      },
      request.options, show);
  if (request.json)
    print_json(answer_json(found, commits, runner.why()).dump(1, ' ', false, Json::error_handler_t::replace) +
               "\n");
  else
    fmt::print("\n{}, by {}; each test at alpha {:g}\n", answer_text(found, commits), runner.why(),
               kBisectAlpha);
  return found.is_one_commit() ? ExitCode::pass : ExitCode::inconclusive;
}

}  // namespace aqbench::cli
