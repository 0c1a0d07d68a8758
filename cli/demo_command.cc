#include <fmt/format.h>

#include <cstdio>

#include "cli/options.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/text.h"
#include "pipeline/method/method.h"
#include "reports/content/commands.h"
#include "scenes/cloud/ply.h"
#include "scenes/dataset/dataset.h"
#include "scenes/registry.h"

namespace aqbench::cli {
namespace {

struct DemoRequest {
  std::filesystem::path out = "aqbench-demo";
};

CommandLine<DemoRequest> demo_command_line() {
  return {"aqbench demo [--out DIR]",
          "Shows in a few seconds how a gate finds a worse result: a project with one program is swept, its\n"
          "values are accepted, the program gets worse, and the gate fails on purpose. The program copies a\n"
          "simulated cloud, so that nothing is rendered. Exit 0 if the gate failed as it should.",
          {{"out", "DIR", "folder of the demo; must be new or empty", into<&DemoRequest::out>,
            usually("aqbench-demo")}}};
}

constexpr const char* kProject = R"({
  "version": 1,
  "methods": [{"name": "mine", "summary": "copies a cloud, as a program that writes one",
               "command": "cp {project}/cloud.ply {output}/cloud.ply", "result": "cloud.ply", "unit": "m"}],
  "suites": [{"name": "demo", "description": "one scene, one method", "scenes": ["undulating"],
              "methods": ["mine"], "seeds": [42]}],
  "gates": {"demo": "baseline.json"}
}
)";

// Writes the cloud that the project's program copies.
void write_result(const std::filesystem::path& folder, const char* noise_sigma_m) {
  const MethodSpec& method = find_method("roma_like");
  MethodInput input;
  input.parameters =
      resolve_parameters(method.name, method.parameters, {{method.name, "noise_sigma_m", noise_sigma_m}});
  input.seed = 42;
  const Reconstruction made =
      std::get<SimulatedMethod>(method.run)(make_scene("undulating", {}).truth, input);
  write_ply_cloud(folder / "cloud.ply", made.cloud);
}

// Shows a command of this program and runs it. Throws Error(method) for another exit code than expected.
void run_step(const char* step, const char* what, const Arguments& arguments,
              ExitCode expected = ExitCode::pass) {
  Arguments shown{"aqbench"};
  shown.insert(shown.end(), arguments.begin(), arguments.end());
  fmt::print("\n{}\n$ {}\n", what, printable(shell_join(shown)));
  std::fflush(stdout);
  shown.front() = std::filesystem::read_symlink("/proc/self/exe").string();
  if (const int code = run_to_end(shown); code != static_cast<int>(expected))
    throw method_error("demo: {} ended with exit code {} instead of {}", step, code,
                       static_cast<int>(expected));
}

std::string newest_bundle(const std::filesystem::path& out) {
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator(out))
    newest = std::max(newest, entry.path().string());
  return newest;
}

}  // namespace

ExitCode demo_command(const Arguments& arguments) {
  const auto request = parse(demo_command_line(), arguments);
  const std::filesystem::path& folder = request.out;
  require_free_folder(folder);
  std::filesystem::create_directories(folder);
  const std::string project = (folder / "aqbench.json").string(), out = (folder / "out").string();
  write_file(project, kProject);
  const Arguments sweep{"sweep", "--project", project, "--suite", "demo", "--out", out};

  write_result(folder, "0.0008");
  run_step("the first sweep", "1. Your program runs on a scene whose true surface is known.", sweep);
  run_step("accept", "2. The result is good: its values become the baseline.",
           {"accept", newest_bundle(out), "--baseline", (folder / "baseline.json").string()});
  write_result(folder, "0.0012");
  Arguments gated = sweep;
  gated.emplace_back("--gate");
  run_step("the gate", "3. The program changes, and its cloud has 1.5 times the noise. The gate must fail.",
           gated, ExitCode::regression);
  fmt::print(
      "\nThe gate failed as it should, with exit code 1: in a build this stops the change that made it "
      "worse.\n"
      "Look at   {}\n"
      "Your own  aqbench init --command 'python3 run.py {{dataset}} {{output}}'    in your repository\n",
      newest_bundle(out) + "/report.html");
  return ExitCode::pass;
}

}  // namespace aqbench::cli
