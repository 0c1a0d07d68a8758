#include "cli/project/benchmark_workflow.h"

#include <fmt/format.h>

#include "cli/project/start_files.h"
#include "core/error.h"
#include "reports/content/commands.h"

namespace aqbench::cli {
namespace {

// {0}: the build, {1}: the comparison, {2}: the step that installs aqbench.
constexpr std::string_view kGithub =
    R"(# Compares the benchmarks of a pull request with those of its base: both are built on one runner and measured by turns
# for a minute. Fails where a benchmark became slower, needs more memory or fails; what a minute cannot decide is shown
# in the summary and passes.
name: benchmarks
on: {{pull_request: {{}}}}
jobs:
  benchmarks:
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    permissions: {{contents: read}}
    steps:
      - uses: actions/checkout@v4
        with: {{fetch-depth: 2}}
{2}      # Install here what your build needs.
      - name: build
        run: |
          git worktree add --quiet "$RUNNER_TEMP/base" HEAD^1
          (cd "$RUNNER_TEMP/base" && {0})
          {0}
      - name: compare
        run: |
          mkdir -p out
          {1} --cwd-a "$RUNNER_TEMP/base" --github
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: aqbench-${{{{ github.job }}}}
          path: out/
)";

constexpr std::string_view kGitlab =
    R"(# Compares the benchmarks of a merge request with those of its base: both are built on one runner and measured by turns
# for a minute. Fails where a benchmark became slower, needs more memory or fails; what a minute cannot decide passes.
# Include this file in .gitlab-ci.yml (include: {{local: {2}}}).
benchmarks:
  image: python:3.12
  timeout: 30 minutes
  variables: {{GIT_DEPTH: 0}}
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - python3 -m venv /tmp/aqbench
    - ': "${{AQBENCH_WHEEL:?set this variable to the address of aqbench-*.whl}}"'
    - /tmp/aqbench/bin/pip install --quiet --no-deps "$AQBENCH_WHEEL"
    - export PATH="/tmp/aqbench/bin:$PATH"
    # Install here what your build needs.
    - |
      git worktree add --quiet /tmp/base "$CI_MERGE_REQUEST_DIFF_BASE_SHA"
      (cd /tmp/base && {0})
      {0}
      mkdir -p out
      {1} --cwd-a /tmp/base
  artifacts:
    when: always
    paths: [out]
    reports: {{junit: out/junit.xml}}
)";

constexpr const char* kGitlabFile = "benchmarks.gitlab-ci.yml";

}  // namespace

WorkflowFile benchmark_workflow(const BenchmarkStart& start) {
  for (const auto& [flag, line] : {std::pair("benchmark", &start.program), {"build", &start.build}})
    if (line->find_first_of("\r\n") != std::string::npos) throw usage_error("--{}: must be one line", flag);
  const std::string program = shell_join({start.program});
  const std::string compare = fmt::format(
      "aqbench ab --gbench-a {0} --gbench-b {0} --label-a base --label-b head --quick --allow-inconclusive "
      "--out out --junit out/junit.xml",
      program);
  if (start.service == "github")
    return {".github/workflows/benchmarks.yml",
            fmt::format(kGithub, start.build, compare, start_install_step())};
  if (start.service == "gitlab")
    return {kGitlabFile, fmt::format(kGitlab, start.build, compare, kGitlabFile)};
  throw usage_error("--ci '{}': expected github or gitlab", start.service);
}

}  // namespace aqbench::cli
