#include "cli/ab/sides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/programs.h"
#include "core/error.h"
#include "core/parallel.h"
#include "core/parameters.h"
#include "core/sha256.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/ab/samples.h"
#include "harness/measuring/environment.h"
#include "harness/planning/case_options.h"
#include "harness/records/case_name.h"
#include "harness/running/run_case.h"

namespace aqbench::cli {
namespace {

// One side, ready to run.
struct Side {
  PlanRequest request;
  std::string binary;              // "": units are forks of this process
  std::string file_state;          // of `binary` before it was described; "": none, or looked up in PATH
  SweepPlan plan;                  // of this program; empty where `binary` plans
  std::vector<std::string> names;  // of its cases, in the order of the samples
  std::string method;              // of --method-a or --method-b; "" where both sides run the same
  std::map<std::size_t, SweepPlan> seeded_plans = {};  // of pairs that have a seed of their own
};

// Returns "x/seed=42" of "x/kernel=torch/seed=42" and "kernel".
std::string without_axis(const std::string& name, const std::string& axis) {
  const std::size_t start = name.find("/" + axis + "=");
  if (start == std::string::npos) return name;
  const std::size_t end = name.find('/', start + 1);
  return name.substr(0, start) + (end == std::string::npos ? "" : name.substr(end));
}

bool matches_any(const std::vector<std::string>& globs, const std::string& name) {
  return globs.empty() ||
         std::ranges::any_of(globs, [&](const auto& glob) { return means_case(glob, name); });
}

void check_globs(const std::vector<std::string>& globs, const std::vector<std::string>& names) {
  for (const std::string& glob : globs)
    if (std::ranges::none_of(names, [&](const auto& name) { return means_case(glob, name); }))
      throw usage_error("--case '{}': no planned case matches (the first one is '{}')", glob,
                        names.empty() ? "" : names.front());
}

// Throws Error(not_comparable) where an option has two values: the cases are different ones then. An option
// that only one program knows is noted in `one_sided`.
void compare_options(const std::string& name, const NamedValues& a, const NamedValues& b,
                     const std::string& except, std::set<std::string>& one_sided) {
  for (const auto& [key, value] : a) {
    const ParameterValue* const other = find_value(b, key);
    if (other == nullptr) one_sided.insert(fmt::format("A alone has the option {}", key));
    const bool varied = !except.empty() && (key == except || key.ends_with("." + except));
    if (other != nullptr && !varied && to_string(*other) != to_string(value))
      throw not_comparable_error("{}: option {} is {} in A and {} in B", name, key, to_string(value),
                                 to_string(*other));
  }
  for (const auto& [key, value] : b)
    if (find_value(a, key) == nullptr) one_sided.insert(fmt::format("B alone has the option {}", key));
}

void compare_builds(const UnitProgram& a, const UnitProgram& b, bool accept, AbDocument& document) {
  const auto differs = [&](const char* what, const std::string& of_a, const std::string& of_b, bool refuse) {
    if (of_a == of_b) return;
    const std::string text = fmt::format("{} is '{}' in A and '{}' in B", what, of_a, of_b);
    if (refuse && !accept)
      throw Error(ErrorKind::not_comparable, text + " (--different-builds compares them all the same)");
    document.notes.push_back(text);
  };
  differs("the build type", a.build.build_type, b.build.build_type, true);
  differs("the set of sanitizers", a.build.sanitizers, b.build.sanitizers, true);
  differs("the compiler", a.build.compiler, b.build.compiler, false);
  differs("the set of compiler flags", a.build.flags, b.build.flags, false);
}

// Whether each pair has a seed of its own.
bool over_seeds(const AbRequest& request) {
  return !request.metrics.names.empty() && request.metrics.paired_over == "seeds";
}

// Matches the cases of both sides by name, in A's order.
void match_cases(const AbRequest& request, const UnitProgram& a, const UnitProgram& b, Side& side_a,
                 Side& side_b, AbDocument& document) {
  const std::string axis = request.variant ? request.variant->name : "";
  const bool methods = !side_a.method.empty();
  const auto common = [&](std::string name) {
    if (!axis.empty()) name = without_axis(name, axis);
    if (methods) name = name_without_method(name);
    return over_seeds(request) ? name_without_seed(name) : name;
  };
  // Of more than two values each of B's is a comparison, named after it.
  const bool several = request.variant && request.variant->values.size() > 2;
  const auto compared = [&](const std::string& of_b) {
    return !several ? common(of_b) : over_seeds(request) ? name_without_seed(of_b) : of_b;
  };
  std::set<std::string> notes;
  const auto add = [&](const auto& case_a, const auto& case_b) {
    if (!methods) compare_options(case_a.name, case_a.options, case_b.options, axis, notes);
    if (request.variant && case_a.name == case_b.name)
      throw usage_error("--variant {}: does not change case '{}'", axis, case_a.name);
    side_a.names.push_back(case_a.name);
    side_b.names.push_back(case_b.name);
    const std::string name = compared(case_b.name);
    if (std::ranges::find(document.samples.cases, name, &AbCase::name) != document.samples.cases.end())
      throw usage_error("'{}' has several seeds: pairs take seeds of their own", name);
    document.samples.cases.push_back({name, std::nullopt});
  };
  check_globs(request.case_globs, names_of(a.cases));
  for (const auto& case_a : a.cases) {
    if (!matches_any(request.case_globs, case_a.name)) continue;
    const std::size_t before = document.samples.cases.size();
    for (const auto& case_b : b.cases)
      if (common(case_b.name) == common(case_a.name)) add(case_a, case_b);
    if (document.samples.cases.size() == before)
      throw not_comparable_error("B has no case '{}'", case_a.name);
  }
  if (document.samples.cases.empty()) throw usage_error("no cases to compare");
  document.notes.insert(document.notes.end(), notes.begin(), notes.end());
}

// Returns the hash of this program's plan, or of another program's answer together with what it was asked.
std::string plan_sha256_of(const Side& side, const UnitProgram& program) {
  if (!side.plan.sha256.empty()) return side.plan.sha256;
  return sha256_hex(requested_json(side.request).dump() + unit_program_json(program).at("cases").dump());
}

void describe_files(const AbRequest& request, AbDocument& document) {
  const auto file_of = [](const std::string& binary) {
    return binary.find('/') == std::string::npos ? std::string() : sha256_file_hex(binary);
  };
  document.a.file_sha256 = file_of(request.binary_a);
  document.b.file_sha256 = file_of(request.binary_b);
  for (const auto& [side, name] : {std::pair(&document.a, "A"), std::pair(&document.b, "B")})
    if (!side->file_sha256.empty() && side->file_sha256 != side->program_sha256)
      document.notes.push_back(fmt::format("{} is a script around the program: {}", name, side->label));
}

const Case& planned_case(const SweepPlan& plan, const std::string& name) {
  return *std::ranges::find(plan.cases, name, &Case::name);
}

// Runs the case with the seed that many after its own.
std::optional<CaseResult> run_seeded_unit(Side& side, const std::string& name, std::size_t draw,
                                          const UnitLimits& limits) {
  const auto seed = parse_double(seed_in_name(name));
  if (!seed) throw usage_error("{}: has no seed: --paired-over runs", name);
  PlanRequest request = side.request;
  request.seed = static_cast<std::uint64_t>(*seed) + draw;
  request.repeat = 1;
  const std::string seeded = name_with_seed(name, std::to_string(*request.seed));
  if (!side.binary.empty()) return run_started_unit(side.binary, request, seeded, true, limits);
  const auto [place, is_new] = side.seeded_plans.try_emplace(draw);
  if (is_new) place->second = plan_sweep(request);
  return run_forked_unit(planned_case(place->second, seeded), true, limits);
}

std::optional<CaseResult> run_unit_of_side(const Side& side, const std::string& name, bool score,
                                           const UnitLimits& limits) {
  if (side.binary.empty()) return run_forked_unit(planned_case(side.plan, name), score, limits);
  // Going on would mix the times of two builds under the hash of one.
  if (file_state_of(side.binary) != side.file_state)
    return failed_unit(Status::failed, side.binary + " was changed on the disk while it was measured");
  return run_started_unit(side.binary, side.request, name, score, limits);
}

// A has the first value, B all others.
std::vector<std::string> values_of_side(const Axis& variant, std::size_t side) {
  if (side == 0) return {variant.values.front()};
  return {variant.values.begin() + 1, variant.values.end()};
}

// Gives each side its method, variant and program.
void prepare_sides(const AbRequest& request, Side& a, Side& b) {
  a.request = b.request = request.plan;
  b.request.injects = request.injects;
  if (!request.metrics.methods[0].empty()) {
    if (!request.plan.methods.empty()) throw usage_error("--method: --method-a and --method-b give it");
    for (const auto& [side, method] :
         {std::pair(&a, request.metrics.methods[0]), {&b, request.metrics.methods[1]}}) {
      side->method = method;
      side->request.methods = {method};
    }
  }
  if (request.variant) {
    for (const Axis& axis : request.plan.axes)
      if (axis.name == request.variant->name)
        throw usage_error("--variant {}: --axis gives it too", axis.name);
    a.request.axes.push_back({request.variant->name, values_of_side(*request.variant, 0)});
    b.request.axes.push_back({request.variant->name, values_of_side(*request.variant, 1)});
  }
  if (!request.binary_a.empty()) {
    a.binary = request.binary_a;
    b.binary = request.binary_b;
  } else if (request.exec) {
    a.binary = b.binary = std::filesystem::read_symlink("/proc/self/exe").string();
  }
  for (Side* const side : {&a, &b}) side->file_state = file_state_of(side->binary);
}

// Runs the units of both sides, scored where metrics are compared; the first ones of two methods keep tiles.
AbUnitRunner runner_of(std::shared_ptr<Side> a, std::shared_ptr<Side> b,
                       std::shared_ptr<const UnitLimits> limits, const AbRequest& request,
                       const AbSamples& samples) {
  const bool seeds = over_seeds(request), keeps_tiles = !request.metrics.methods[0].empty();
  return [a = std::move(a), b = std::move(b), limits = std::move(limits), seeds, keeps_tiles,
          names = names_of(samples.cases), outcomes = request.settings.outcomes](const AbUnitTask& task) {
    Side& side = task.side == AbSide::a ? *a : *b;
    const std::string& name = side.names[task.case_index];
    const bool score = task.score || !outcomes.empty();
    UnitLimits own = *limits;
    if (task.limit_s > 0) own.process.timeout_s = task.limit_s;
    auto answer =
        seeds ? run_seeded_unit(side, name, task.draw, own) : run_unit_of_side(side, name, score, own);
    if (answer && !outcomes.empty()) take_metrics(outcomes, answer->record);
    if (answer) keep_tiles(names[task.case_index], task.side, keeps_tiles && task.score, *answer);
    return answer;
  };
}

}  // namespace

std::string file_state_of(const std::string& binary) {
  struct stat status {};
  if (binary.find('/') == std::string::npos || ::stat(binary.c_str(), &status) != 0) return {};
  return fmt::format("{} {} {} {}.{}", status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

void keep_matching(SweepPlan& plan, const std::vector<std::string>& globs) {
  check_globs(globs, names_of(plan.cases));
  std::erase_if(plan.cases, [&](const Case& planned) { return !matches_any(globs, planned.name); });
}

std::vector<std::string> commands_of(const AbRequest& request) {
  if (request.judges_recorded()) return {};
  std::vector<std::string> found = command_lines_of(request.commands);
  if (!request.binary_a.empty()) found = {"A: " + request.binary_a, "B: " + request.binary_b};
  std::vector<Case> cases;
  for (std::size_t side = 0; side < 2 && !request.commands.given(); ++side) {
    PlanRequest plan = request.plan;
    if (request.variant) plan.axes.push_back({request.variant->name, values_of_side(*request.variant, side)});
    if (!request.metrics.methods[side].empty()) plan.methods = {request.metrics.methods[side]};
    // What only the programs know cannot be planned here; they are shown themselves.
    if (request.binary_a.empty()) std::ranges::move(plan_sweep(plan).cases, std::back_inserter(cases));
  }
  for (std::string& code : foreign_code(cases)) found.push_back(std::move(code));
  return found;
}

UnitLimits ab_limits(double timeout_s, std::uint64_t memory_limit_bytes, int cancel_descriptor) {
  return {{.timeout_s = timeout_s,
           .memory_limit_bytes = memory_limit_bytes,
           .cancel_descriptor = cancel_descriptor}};
}

Json ab_environment(const AbRequest& request) {
  PlanRequest plan = request.plan;
  if (request.variant) plan.axes.push_back(*request.variant);
  return environment_json({plan.threads.value_or(available_processors()), devices_of(plan)});
}

AbSides plan_ab_sides(const AbRequest& request, int cancel_descriptor, AbDocument& document) {
  auto a = std::make_shared<Side>(), b = std::make_shared<Side>();
  const bool programs = !request.binary_a.empty();
  prepare_sides(request, *a, *b);
  // This program plans its cases itself; another one is asked for its plan. The limits are the same for both
  // sides.
  UnitProgram program_a, program_b;
  UnitLimits limits;
  if (programs) {
    limits =
        ab_limits(request.plan.timeout_s.value_or(kDefaultTimeoutS),
                  request.plan.memory_limit_bytes.value_or(default_memory_limit_bytes()), cancel_descriptor);
    program_a = describe_program(a->binary, a->request, limits);
    program_b = describe_program(b->binary, b->request, limits);
    compare_builds(program_a, program_b, request.different_builds, document);
  } else {
    for (Side* const side : {a.get(), b.get()}) {
      require_programs((side->plan = plan_sweep(side->request)).cases);
      if (!request.exec) load_modules_of(side->plan.cases);  // the environment lists them, also with --resume
    }
    limits = ab_limits(a->plan.timeout_s, a->plan.memory_limit_bytes, cancel_descriptor);
    program_a = describe_this_program(a->plan);
    program_b = describe_this_program(b->plan);
  }
  match_cases(request, program_a, program_b, *a, *b, document);
  const auto variant = [&](std::size_t i) {
    if (!request.metrics.methods[i].empty()) return "method=" + request.metrics.methods[i];
    return request.variant ? fmt::format("{}={}", request.variant->name,
                                         fmt::join(values_of_side(*request.variant, i), ","))
                           : std::string();
  };
  document.a = {.label = programs ? request.binary_a : variant(0),
                .variant = variant(0),
                .program_sha256 = program_a.sha256,
                .build = program_a.build};
  document.b = {.label = programs ? request.binary_b : variant(1),
                .variant = variant(1),
                .program_sha256 = program_b.sha256,
                .build = program_b.build};
  if (programs) describe_files(request, document);
  for (const Inject& inject : request.injects) document.b.injected.push_back(to_string(inject));
  document.run.exec = programs || request.exec;
  document.run.warm_runs = *request.plan.timing.repetitions;
  if (!document.settings.outcomes.empty()) document.run.paired_over = request.metrics.paired_over;
  const auto shared = std::make_shared<UnitLimits>(limits);
  return {runner_of(a, b, shared, request, document.samples),
          {plan_sha256_of(*a, program_a), plan_sha256_of(*b, program_b)},
          shared};
}

JournalHeader ab_header(const std::filesystem::path& bundle) {
  JournalHeader header = read_journal(bundle, TornTail::accept, KeptRecords::ends).header;
  if (!header.sides)
    throw input_error("--resume {}: is a sweep; continue it with: aqbench sweep --resume {}", bundle.string(),
                      bundle.string());
  return header;
}

}  // namespace aqbench::cli
