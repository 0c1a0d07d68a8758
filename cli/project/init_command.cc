#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/options.h"
#include "cli/project/benchmark_workflow.h"
#include "cli/project/engine_files.h"
#include "cli/project/start_files.h"
#include "core/error.h"
#include "core/files.h"
#include "core/parameters.h"
#include "core/scratch_folder.h"
#include "core/text.h"
#include "harness/project/project.h"
#include "harness/sharing/finished_cases.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkflow = ".github/workflows/aqbench.yml";
constexpr const char* kIgnored = ".gitignore";
constexpr std::size_t kMaxIgnoredBytes = 1 << 20;
constexpr const char* kPlanHere = "plan.json";

struct InitRequest {
  ProjectStart start;
  std::string engine;
  BenchmarkStart benchmark;
};

enum : Modes { kProjectInit = 1, kEngineInit = 2, kBenchmarkInit = 4 };

constexpr ModeText kInitModes[] = {{kProjectInit, "a new project"},
                                   {kEngineInit, "--engine", "writes the engine's file alone"},
                                   {kBenchmarkInit, "--benchmark", "writes a workflow alone"}};

Modes mode_of_init(const InitRequest& request) {
  Modes chosen = 0;
  if (!request.engine.empty()) chosen |= kEngineInit;
  if (!request.benchmark.program.empty()) chosen |= kBenchmarkInit;
  return chosen == 0 ? static_cast<Modes>(kProjectInit) : only_mode(kInitModes, chosen);
}

CommandLine<InitRequest> init_command_line() {
  return {
      "aqbench init [--command COMMAND] [--name NAME] | --engine ENGINE |\n"
      "              --benchmark CMD --build CMD [--ci github|gitlab]",
      "Starts a project in this folder: aqbench.json with your program as a method, the "
      "recordings\nfound here (a COLMAP model, transforms.json, images and so on), a small suite and "
      "its gate, and\n.github/workflows/aqbench.yml, which gates your repository. Both are commented. "
      "Also a .gitignore\nfor bundles and files of the workflow. Existing files are not overwritten.\n"
      "\n"
      "  aqbench init --command 'python3 run.py {dataset} {output}/cloud.ply --window {window=7}'\n"
      "\n"
      "With --engine it writes instead the few lines by which this engine runs the cases of plan.json\n"
      "(aqbench sweep --plan) and makes their bundle, with the resources that their methods declare.\n"
      "\n"
      "With --benchmark it writes a workflow for a library with a program of Google Benchmark: builds a\n"
      "pull request and its base and compares them in pairs (aqbench ab).\n"
      "\n"
      "  aqbench init --benchmark build/bench --build 'cmake -B build && cmake --build build'\n\n"
      "Exit 0 written, 2 usage or the file exists, 6 writing failed.",
      {{"command", "COMMAND", kProjectInit,
        "your program with {dataset} and {output}, and a parameter as {NAME=DEFAULT} (default: "
        "an example to replace)",
        into<&InitRequest::start, &ProjectStart::command>},
       {"name", "NAME", kProjectInit, "name of the method and the suite",
        into<&InitRequest::start, &ProjectStart::method>, usually("mine")},
       {"engine", "snakemake|nextflow|parallel|slurm", kEngineInit,
        "write the file of this engine (docs/engines.md)", into<&InitRequest::engine>},
       {"benchmark", "CMD", kBenchmarkInit, "a program of Google Benchmark, below the checkout's folder",
        into<&InitRequest::benchmark, &BenchmarkStart::program>, needs("build")},
       {"build", "CMD", kBenchmarkInit, "builds that program in a checkout, a line for a shell",
        into<&InitRequest::benchmark, &BenchmarkStart::build>, needs("benchmark")},
       {"ci", "github|gitlab", kBenchmarkInit, "the service that runs the workflow",
        into<&InitRequest::benchmark, &BenchmarkStart::service>, needs("benchmark", usually("github"))}},
      {},
      kInitModes,
      mode_of_init};
}

// Writes a new file with its folder. Returns false if it exists; throws Error(io).
bool write_new(const fs::path& file, const std::string& text) {
  std::error_code unknown;
  if (fs::exists(fs::symlink_status(file, unknown)))
    return false;  // also in a folder that cannot be written to
  if (file.has_parent_path()) make_folders(file.parent_path());
  write_file(file, text);
  return true;
}

// Returns what a case of plan.json needs; before that is written, of any method of the project.
Resources needs_here() {
  const auto project = current_project({});
  if (!project) return {};
  std::set<std::string> methods;
  int threads = 0;
  if (path_exists(kPlanHere)) {
    for (const Json& planned : parse_strict_json(read_plan_file(kPlanHere).cases_text, kPlanHere)) {
      methods.insert(planned.at("method").get<std::string>());
      threads = std::max(threads, planned.at("threads").get<int>());
    }
  } else {
    for (const MethodDeclaration& method : project->methods) methods.insert(method.name);
  }
  Resources needs = most_of(methods, project->resources);
  needs.threads = std::max(needs.threads, threads);
  return needs;
}

ExitCode write_engine_file(const std::string& name) {
  const EngineFile& engine = find_named("engine", name, engine_files());
  if (!write_new(engine.file, text_of(engine, needs_here())))
    throw usage_error("{}: exists and is left unchanged", engine.file);
  fmt::print("{}: runs the cases of plan.json\nnext: aqbench sweep ... --plan plan.json && {}\n", engine.file,
             engine.command);
  return ExitCode::pass;
}

ExitCode write_benchmark_workflow(const BenchmarkStart& start) {
  const WorkflowFile workflow = benchmark_workflow(start);
  if (!write_new(workflow.path, workflow.text))
    throw usage_error("{}: exists and is left unchanged", workflow.path);
  fmt::print(
      "{}: compares the benchmarks of each pull request with those of its base\n"
      "Next: set the repository variable AQBENCH_WHEEL to the address of aqbench-*.whl, and commit the "
      "file.\n"
      "  aqbench ab --gbench-a OLD/{} --gbench-b {} --quick    # the same comparison here\n",
      workflow.path, start.program, start.program);
  return ExitCode::pass;
}

// Returns the missing lines of this folder's .gitignore, ignoring slashes at either end.
std::vector<std::string> lines_to_ignore(const std::string& text) {
  const auto bare = [](std::string line) {
    while (!line.empty() && (line.back() == '/' || line.back() == '\r' || line.back() == ' '))
      line.pop_back();
    return line.starts_with('/') ? line.substr(1) : line;
  };
  std::set<std::string> there;
  for (const std::string_view line : split_at(text, '\n')) there.insert(bare(std::string(line)));
  std::vector<std::string> missing;
  for (const std::string& line : start_ignored())
    if (!there.contains(bare(line))) missing.push_back(line);
  return missing;
}

// Writes a .gitignore, or names the missing lines of an existing one.
void ignore_outputs() {
  std::string text = "# Files written by aqbench and Python.\n";
  for (const std::string& line : start_ignored()) text += line + "\n";
  if (write_new(kIgnored, text)) {
    fmt::print("{}: ignores bundles and the workflow's files\n", kIgnored);
    return;
  }
  std::vector<std::string> missing = start_ignored();
  std::string why = fmt::format("{}: exists and is left unchanged", kIgnored);
  try {
    missing = lines_to_ignore(read_text_file(kIgnored, kMaxIgnoredBytes));
  } catch (const Error& error) {  // everything else is written and has its next steps
    why = error.what();
  }
  if (!missing.empty()) fmt::print("{}; add: {}\n", why, fmt::join(missing, " "));
}

// Prints the next steps: each suite needs accepted values before it can be gated.
void print_next_steps(const ProjectStart& start) {
  const auto print_step = [](const std::string& command, const char* note) {
    fmt::print("  {:<45} # {}\n", command, note);
  };
  fmt::print("\nNext{}:\n", start.command.empty() ? ", after replacing the command in it" : "");
  print_step("aqbench list methods", "your method is the last one");
  for (const std::string& suite : start_suite_names(start)) {
    print_step("aqbench sweep --suite " + suite, "run it; leaves a bundle in out/");
    fmt::print("  aqbench accept out/BUNDLE --baseline baselines/{}.json\n", suite);
    print_step(fmt::format("aqbench sweep --suite {} --gate", suite), "exit 1 if a result is worse");
  }
  fmt::print("Commit {}, baselines/ and {}: without baselines the workflow's gate fails.\n", kProjectFileName,
             kWorkflow);
}

// Validates the files as `sweep` will: refuses a command without {output} now.
void check_text(const std::string& text) {
  const ScratchFolder scratch;
  const fs::path file = scratch.path() / kProjectFileName;
  write_file(file, text);
  try {
    read_project(file);
  } catch (const Error& error) {
    // Without the line number, since the file does not exist yet.
    const std::string problem = error.problem();
    throw Error(ErrorKind::usage, "--command or --name:" + problem.substr(problem.find(' ')));
  }
}

}  // namespace

ExitCode init_command(const Arguments& arguments) {
  auto request = parse(init_command_line(), arguments);
  if (!request.engine.empty()) return write_engine_file(request.engine);
  if (!request.benchmark.program.empty()) return write_benchmark_workflow(request.benchmark);
  ProjectStart& start = request.start;
  std::error_code unknown;
  if (fs::exists(fs::symlink_status(kProjectFileName, unknown)))
    throw usage_error("{}: exists and is left unchanged", kProjectFileName);
  start.inputs = find_inputs(fs::current_path(unknown));
  for (const FoundInput& input : start.inputs)
    if (!is_valid_utf8(input.directory.string()))
      throw input_error("{}: the folder's name must be UTF-8, like {} must be", input.directory.string(),
                        kProjectFileName);
  const std::string text = start_project_text(start);
  check_text(text);
  // The project file comes last: until it exists, `init` can be called again.
  const bool gates = write_new(kWorkflow, start_workflow_text(start));
  if (!write_new(kProjectFileName, text))
    throw usage_error("{}: exists and is left unchanged", kProjectFileName);
  const auto rigs = std::ranges::count(start.inputs, kRigAlone, &FoundInput::kind);
  const std::size_t recordings = start.inputs.size() - static_cast<std::size_t>(rigs);
  fmt::print("{}: method {}, suite {}, {} found\n", kProjectFileName, start.method, start.method,
             recordings == 0 ? "no recordings" : counted(recordings, "recording"));
  for (const FoundInput& input : start.inputs) {
    fmt::print("  {}: {} in {}\n", input.kind == kRigAlone ? "cameras" : "dataset " + input.name, input.kind,
               printable(input.directory.string()));
    if (!input.content.empty()) fmt::print("    {}\n", printable(input.content));
  }
  if (gates)
    fmt::print("{}: gates pull requests of this repository\n", kWorkflow);
  else
    fmt::print("{}: exists and is left unchanged\n", kWorkflow);
  ignore_outputs();
  print_next_steps(start);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
