#include "harness/ab/unit.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_members.h"
#include "core/processes/process.h"
#include "core/text.h"
#include "harness/running/case_process.h"
#include "harness/running/run_case.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench {
namespace {

constexpr int kUnitProtocol = 1;  // the version of what `aqbench unit` prints
constexpr double kDescribeTimeoutS = 60;
// A variable, because a program of an older build would refuse a flag.
constexpr const char* kHiddenVariable = "AQBENCH_UNIT_HIDES";
constexpr std::uint64_t kMaxUnitBytes = std::uint64_t{64} << 20;  // a record takes a few kB

// A program that ended badly threw in its keeper, which ended well.
Status status_of_end(IsolateOutcome::End end) {
  using End = IsolateOutcome::End;
  if (end == End::timeout) return Status::timeout;
  return end == End::signalled || end == End::exited || end == End::threw ? Status::crashed : Status::failed;
}

// The object that `BIN unit` printed. Throws Error(input).
Json parse_unit_output(const std::string& output, const std::string& binary) {
  Json json;
  try {
    json = parse_strict_json(output, binary, kMessageJson);
  } catch (const Error&) {
    throw input_error("{}: `unit` did not print JSON: this is not aqbench", binary);
  }
  if (!json.is_object() || !json.contains("aqbench_unit"))
    throw input_error("{}: `unit` printed something else: this is not aqbench", binary);
  if (json.at("aqbench_unit") != Json(kUnitProtocol))
    throw input_error("{}: speaks unit protocol {}, this program {}", binary, json.at("aqbench_unit").dump(),
                      kUnitProtocol);
  return json;
}

[[noreturn]] void refuse_program(const std::string& binary, const std::string& problem) {
  if (problem.find("unknown command") != std::string::npos)
    throw input_error("{}: too old for ab: it has no command `unit`", binary);
  throw Error(ErrorKind::input,
              problem.starts_with(binary) ? problem : fmt::format("{}: {}", binary, problem));
}

// Two stages of one name differ in their parents, or one ran beside the main thread.
std::string stage_key(const Record& record, const StageRecord& stage) {
  const bool repeated = std::ranges::count(record.stages, stage.name, &StageRecord::name) > 1;
  return (repeated ? stage.parent + ">" + stage.name : stage.name) + (stage.other_thread ? " beside" : "");
}

}  // namespace

CaseResult failed_unit(Status status, std::string_view reason) {
  CaseResult unit{unit_record(), {}};
  unit.record.status = status;
  unit.record.reason = one_line(reason);
  return unit;
}

UnitProgram describe_this_program(const SweepPlan& plan) {
  UnitProgram program{program_sha256(), build_info(), {}};
  for (const Case& planned : plan.cases) {
    program.cases.push_back({planned.name, planned.options});
    NamedValues& options = program.cases.back().options;
    options.insert(options.end(), planned.defaults.begin(), planned.defaults.end());
  }
  return program;
}

Json unit_program_json(const UnitProgram& program) {
  Json json = {{"aqbench_unit", kUnitProtocol}};
  json.update(JsonOf<UnitProgram>::write(program));
  return json;
}

Json unit_record_json(const Record& record) {
  return {{"aqbench_unit", kUnitProtocol}, {"record", to_json(record)}};
}

UnitProgram describe_program(const std::string& binary, const PlanRequest& request,
                             const UnitLimits& limits) {
  IsolateOptions options = limits.process;
  options.timeout_s = kDescribeTimeoutS;
  options.result_limit_bytes = kMaxUnitBytes;
  const ProgramAnswer answer =
      ask_program({binary, "unit", "--describe", "--request", requested_json(request).dump()}, options);
  if (answer.end == IsolateOutcome::End::cancelled) throw Error(ErrorKind::interrupted, "interrupted");
  if (!answer.ok) refuse_program(binary, answer.problem);
  Json described = parse_unit_output(answer.output, binary);
  described.erase("aqbench_unit");
  return from_json<UnitProgram>(JsonPlace(described, binary));
}

CaseResult unit_of(Record record, bool scored, bool wants_warm) {
  const std::vector<double>& warm_ms = record.timing.warm_ms;
  const bool ok = record.status == Status::ok;
  if (wants_warm && ok && warm_ms.size() < kMinWarmRuns)
    return failed_unit(Status::failed, fmt::format("gave {} warm runs, a unit needs at least {}",
                                                   warm_ms.size(), kMinWarmRuns));
  if (ok && !std::ranges::all_of(warm_ms, [](double ms) { return ms > 0; }))
    return failed_unit(Status::failed, "a warm run took no time: too short for the clock");
  CaseResult result{unit_record(), {}};
  Record& unit = result.record;
  for (const StageRecord& stage : record.stages) {
    if (warm_ms.empty() || stage.self_ms.size() < warm_ms.size()) continue;
    unit.stages.push_back({.name = stage_key(record, stage), .parent = {}});
    unit.stages.back().self_ms.assign(stage.self_ms.end() - static_cast<std::ptrdiff_t>(warm_ms.size()),
                                      stage.self_ms.end());
  }
  unit.status = record.status;
  unit.reason = std::move(record.reason);
  unit.timing.cold_ms = record.timing.cold_ms;
  if (record.timing.cpu_ms.size() == warm_ms.size()) unit.timing.cpu_ms = std::move(record.timing.cpu_ms);
  unit.timing.warm_ms = std::move(record.timing.warm_ms);
  unit.output_sha256 = std::move(record.output_sha256);
  unit.unit->scored = scored && ok;
  if (unit.unit->scored) unit.metrics = std::move(record.metrics);
  return result;
}

std::filesystem::path take_hidden_folder() {
  const char* const value = std::getenv(kHiddenVariable);
  std::filesystem::path folder = value == nullptr ? "" : value;
  ::unsetenv(kHiddenVariable);
  return folder;
}

std::optional<CaseResult> run_forked_unit(const Case& planned, bool score, const UnitLimits& limits) {
  load_modules_of(std::span(&planned, 1));
  CaseProcess process(planned, limits.process, {});
  if (!limits.hidden.empty()) process.board.hide(limits.hidden);
  process.start([&](const Case& one, CaseBoard& board) {
    return score ? run_case(one, board) : run_case_unscored(one, board);
  });
  std::optional<CaseResult> result = process.wait();
  if (!result) return std::nullopt;
  CaseResult unit = unit_of(std::move(result->record), score, planned.timing.times_warm());
  if (unit.record.status == Status::ok) unit.artefacts = std::move(result->artefacts);
  return unit;
}

std::optional<CaseResult> run_started_unit(const std::string& binary, const PlanRequest& request,
                                           const std::string& case_name, bool score,
                                           const UnitLimits& limits) {
  std::vector<std::string> argv = {binary,   "unit",   "--request", requested_json(request).dump(),
                                   "--case", case_name};
  if (!score) argv.emplace_back("--no-score");
  IsolateOptions options = limits.process;
  options.result_limit_bytes = kMaxUnitBytes;
  std::vector<std::pair<std::string, std::string>> variables;
  if (!limits.hidden.empty())
    variables.emplace_back(kHiddenVariable, std::filesystem::absolute(limits.hidden).string());
  const ProgramAnswer answer = ask_program(argv, options, variables);
  if (answer.end == IsolateOutcome::End::cancelled) return std::nullopt;
  if (!answer.ok) return failed_unit(status_of_end(answer.end), answer.problem);
  try {
    const Json json = parse_unit_output(answer.output, binary);
    return unit_of(record_from_json(JsonPlace(json, binary).at("record").value(), binary), score,
                   request.timing.repetitions.value_or(1) > 0);
  } catch (const Error& error) {
    return failed_unit(Status::failed, error.what());
  }
}

}  // namespace aqbench
