#include "cli/project/engine_files.h"

namespace aqbench::cli {
namespace {

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
    shell: "aqbench run-case plan.json {wildcards.n} --out results"
)"},
    {"nextflow", "cases.nf", "nextflow run cases.nf",
     R"(// Runs the cases of plan.json (aqbench sweep ... --plan plan.json); killed ones again.
// The authors of aqbench have not tried this file.
process runCase {
    errorStrategy 'retry'
    maxRetries 3
    input: val n
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
)"},
    {"parallel", "cases_parallel.sh", "sh cases_parallel.sh",
     R"(#!/bin/sh
# Runs the cases of plan.json (aqbench sweep ... --plan plan.json); killed ones again. JOBS at a time.
set -e
aqbench run-case plan.json | cut -d ' ' -f 1 |
  parallel -j "${JOBS:-$(nproc)}" --retries 3 aqbench run-case plan.json {} --out results
aqbench collect plan.json results --out bundle
)"},
    {"slurm", "cases_slurm.sh", "sh cases_slurm.sh",
     R"(#!/bin/sh
# Runs the cases of plan.json (aqbench sweep ... --plan plan.json) in TASKS tasks of an array. The job after it
# runs those of killed tasks, and makes the bundle. Arguments go to sbatch: --partition=long --time=2:00:00.
set -e
tasks=${TASKS:-16}
array=$(sbatch --parsable --requeue --array="1-$tasks" "$@" \
  --wrap="exec aqbench run-case plan.json --shard \$SLURM_ARRAY_TASK_ID/$tasks --out results")
sbatch --dependency="afterany:${array%%;*}" "$@" \
  --wrap="aqbench run-case plan.json --shard 1/1 --out results && exec aqbench collect plan.json results --out bundle"
)"}};

}  // namespace

std::span<const EngineFile> engine_files() { return kEngines; }

}  // namespace aqbench::cli
