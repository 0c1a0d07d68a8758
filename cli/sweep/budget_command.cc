#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/sweep/sweep_run.h"
#include "core/files.h"
#include "harness/planning/budget_plan.h"
#include "harness/project/project.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/budget.h"

namespace aqbench::cli {
namespace {

constexpr std::uint64_t kDefaultSeeds = 6;  // the fewest with an interval of 95 %

struct BudgetRequest {
  std::optional<std::filesystem::path> bundle;  // of a budget that was measured before
  PlanRequest plan;
  std::filesystem::path out = "out";
  std::string metric = kBudgetMetric;
  std::optional<std::filesystem::path> markdown;
  bool pairs = false, json = false;
};

CommandLine<BudgetRequest> budget_command_line() {
  std::vector<Flag<BudgetRequest>> flags;
  for (const char* const name : {"scene", "dataset", "method", "seed"})
    append_plan_flag<BudgetRequest>(flags, name, nullptr, &BudgetRequest::plan);
  append_plan_flag<BudgetRequest>(flags, "repeat", "number of consecutive seeds (default 6)",
                                  &BudgetRequest::plan);
  for (const char* const name : {"set", "rig", "imaging", "width", "height", "threads", "device", "timeout",
                                 "memory-limit", "project"})
    append_plan_flag<BudgetRequest>(flags, name, nullptr, &BudgetRequest::plan);
  flags.push_back({"out", "DIR", "folder for the bundle (default out)", into<&BudgetRequest::out>});
  flags.push_back({"pairs", nullptr, "also take causes away two at a time: which of them interact",
                   into<&BudgetRequest::pairs>});
  flags.push_back({"metric", "NAME", "the value that is divided up (default accuracy_rmse_mm)",
                   into<&BudgetRequest::metric>});
  flags.push_back({"markdown", "FILE", "also write the tables as Markdown", into<&BudgetRequest::markdown>});
  flags.push_back({"json", nullptr, "print the budget as JSON", into<&BudgetRequest::json>});
  return {
      "aqbench budget --scene S --method M [--set perturb.NAME=VALUE]... [OPTION]...\n"
      "       aqbench budget BUNDLE [--metric NAME] [--json] [--markdown FILE]",
      "Says which cause makes how much of a method's error: runs the same scene and seeds as they are "
      "and\nwith one cause taken away at a time (calibration exact, no noise, no blur, a strong texture), "
      "and\ncompares in pairs of seeds. The bundle is that of a sweep.\n\n"
      "  aqbench budget --scene undulating --method plane_sweep --rig tank.json \\\n"
      "      --set perturb.camera_rotation_deg=0.05 --set perturb.sigma_water_z_m=0.001\n"
      "  aqbench budget out/20261120T101500Z --metric completeness_2mm_pct\n\n"
      "Exit 0 pass, 2 usage or input, 3 a case failed, 6 reading or writing failed, 130 interrupted.",
      std::move(flags),
      {{{.name = "BUNDLE", .optional = true}, into<&BudgetRequest::bundle>}}};
}

// Runs the plan and returns how that ended; the bundle is then known.
ExitCode measure(BudgetRequest& request, const Arguments& arguments) {
  if (request.plan.scenes.empty() || request.plan.methods.empty())
    throw usage_error("budget: give a BUNDLE, or --scene S --method M");
  if (!request.plan.repeat) request.plan.repeat = kDefaultSeeds;
  SweepRequest sweep;
  sweep.command = "budget";
  use_current_project(request.plan);
  sweep.plan = budget_request(request.plan, request.pairs);
  sweep.quiet = true;
  plan_sweep(sweep.plan);  // refused before there is a folder
  request.bundle = create_bundle_dir(request.out, std::chrono::system_clock::now());
  sweep.bundle = request.bundle;
  return sweep_plan(sweep, arguments);
}

}  // namespace

ExitCode budget_command(const Arguments& arguments) {
  BudgetRequest request = parse(budget_command_line(), arguments);
  ExitCode code = ExitCode::pass;
  if (!request.bundle)
    code = measure(request, arguments);
  else if (!request.plan.scenes.empty() || !request.plan.methods.empty() || !request.plan.sets.empty())
    throw usage_error("budget: a BUNDLE takes no flags of a new one");
  if (code == ExitCode::interrupted || code == ExitCode::io) return code;
  const std::vector<Budget> budgets = budgets_of(read_gate_input(*request.bundle).results, request.metric);
  Json all = Json::array();
  std::string markdown;
  for (const Budget& budget : budgets) {
    const Section section = budget_section(budget);
    if (request.json)
      all.push_back(to_json(budget));
    else
      fmt::print("{}", terminal_of(section, screen_of(STDOUT_FILENO)));
    markdown += markdown_of(section);
  }
  if (request.json) print_json(all.dump(2) + "\n");
  if (request.markdown) write_file(*request.markdown, markdown);
  return code;
}

}  // namespace aqbench::cli
