#include "cli/project/engine_files.h"

#include <fmt/format.h>

#include <string_view>

namespace aqbench::cli {
namespace {

std::string needs_of_snakemake(const Resources& needs) {
  std::string text, resources;
  const auto add = [&](const std::string& one) { resources += (resources.empty() ? "" : ", ") + one; };
  if (needs.threads > 1) text += fmt::format("    threads: {}\n", needs.threads);
  if (needs.memory_gib > 0) add(fmt::format("mem_mb={}", memory_mib(needs)));
  if (needs.minutes > 0) add(fmt::format("runtime={}", needs.minutes));
  if (needs.gpus > 0) add(fmt::format("gpu={}", needs.gpus));
  return text + (resources.empty() ? "" : fmt::format("    resources: {}\n", resources));
}

std::string needs_of_nextflow(const Resources& needs) {
  std::string text;
  if (needs.threads > 1) text += fmt::format("    cpus {}\n", needs.threads);
  if (needs.memory_gib > 0) text += fmt::format("    memory '{} MB'\n", memory_mib(needs));
  if (needs.minutes > 0) text += fmt::format("    time '{}m'\n", needs.minutes);
  if (needs.gpus > 0) text += fmt::format("    accelerator {}\n", needs.gpus);
  return text;
}

// A slot of GNU parallel, {%} from 1, has GPUs of its own.
std::string needs_of_parallel(const Resources& needs) {
  std::string text = "JOBS:-$(nproc)";
  if (needs.threads > 1)
    text = fmt::format("JOBS:-$((($(nproc) + {}) / {}))", needs.threads - 1, needs.threads);
  if (needs.gpus > 0) text = fmt::format("JOBS:-$(($(nvidia-smi -L | grep -c ^GPU) / {}))", needs.gpus);
  text = fmt::format("-j \"${{{}}}\" --retries 3", text);
  if (needs.memory_gib > 0) text += fmt::format(" --memfree {}M", memory_mib(needs));
  if (needs.minutes > 0) text += fmt::format(" --timeout {}", 60 * needs.minutes);
  if (needs.gpus > 0)
    text += fmt::format(
        " \\\n    CUDA_VISIBLE_DEVICES='$(seq -s, $((({{%}} - 1) * {0})) $(({{%}} * {0} - 1)))'", needs.gpus);
  return text;
}

// The time is that of a task, which runs its cases one after the other.
std::string needs_of_slurm(const Resources& needs) {
  std::string text;
  if (needs.gpus > 0) text += fmt::format(" --gres=gpu:{}", needs.gpus);
  if (needs.memory_gib > 0) text += fmt::format(" --mem={}M", memory_mib(needs));
  if (needs.threads > 1) text += fmt::format(" --cpus-per-task={}", needs.threads);
  if (needs.minutes > 0)
    text +=
        fmt::format(" \\\n    --time=$((($(aqbench run-case plan.json | wc -l) + tasks - 1) / tasks * {}))",
                    needs.minutes);
  return text;
}

constexpr EngineFile kEngines[] = {
    {"snakemake", "Snakefile", "snakemake --cores 8 --restart-times 3",
     R"(# Runs the cases of plan.json (aqbench sweep ... --plan plan.json); killed ones again.
import json
CASES = range(1, len(json.load(open("plan.json"))["cases"]) + 1)
rule bundle:
    input: expand("results/{n}/done", n=CASES)
    output: "bundle/sha256.txt"
    shell: "aqbench collect plan.json results --out bundle"
rule case:
    input: "plan.json"
    output: "results/{n}/done"
{needs}    shell: "aqbench run-case plan.json {wildcards.n} --out results"
)",
     needs_of_snakemake},
    {"nextflow", "cases.nf", "nextflow run cases.nf",
     R"(// Runs the cases of plan.json (aqbench sweep ... --plan plan.json); killed ones again.
// The authors of aqbench have not tried this file.
process runCase {
    errorStrategy 'retry'
    maxRetries 3
{needs}    input: val n
    output: val n
    script: "aqbench run-case ${launchDir}/plan.json ${n} --out ${launchDir}/results"
}
process collectCases {
    input: val numbers
    script: "aqbench collect ${launchDir}/plan.json ${launchDir}/results --out ${launchDir}/bundle"
}
workflow {
    plan = new groovy.json.JsonSlurper().parse(new File("${launchDir}/plan.json"))
    collectCases(runCase(Channel.of(1..plan.cases.size())).collect())
}
)",
     needs_of_nextflow},
    {"parallel", "cases_parallel.sh", "sh cases_parallel.sh",
     R"(#!/bin/sh
# Runs the cases of plan.json (aqbench sweep ... --plan plan.json); killed ones again. JOBS at a time.
set -e
aqbench run-case plan.json | cut -d ' ' -f 1 |
  parallel {needs} aqbench run-case plan.json {} --out results
aqbench collect plan.json results --out bundle
)",
     needs_of_parallel},
    {"slurm", "cases_slurm.sh", "sh cases_slurm.sh",
     R"(#!/bin/sh
# Runs the cases of plan.json (aqbench sweep ... --plan plan.json) in TASKS tasks of an array. Another array repeats
# tasks that died, and the job after both makes the bundle. Arguments go to sbatch: --partition=long --time=2:00:00.
set -e
tasks=${TASKS:-16}
array() {
  sbatch --parsable --requeue --array="1-$tasks"{needs} "$@" \
    --wrap="exec aqbench run-case plan.json --shard \$SLURM_ARRAY_TASK_ID/$tasks --out results"
}
first=$(array "$@")
again=$(array "$@" --dependency="afternotok:${first%%;*}" --kill-on-invalid-dep=yes)
sbatch --dependency="afterany:${first%%;*}:${again%%;*}" "$@" \
  --wrap="exec aqbench collect plan.json results --out bundle"
)",
     needs_of_slurm}};

}  // namespace

std::string text_of(const EngineFile& engine, const Resources& needs) {
  constexpr std::string_view kNeeds = "{needs}";
  std::string text = engine.text;
  return text.replace(text.find(kNeeds), kNeeds.size(), engine.needs(needs));
}

std::span<const EngineFile> engine_files() { return kEngines; }

}  // namespace aqbench::cli
