#include "cli/help_tasks.h"

namespace aqbench::cli {
namespace {

constexpr HelpTask kSweep[] = {{"choose what runs", "suite,scene,method,workload,axis,seed,repeat,set"},
                               {"images", "rig,width"},
                               {"time it", "repetitions,precision,threads,timeout"},
                               {"judge it", "baseline,gate,protocol"},
                               {"see it first, keep it, go on", "dry-run,out,keep-clouds,note,json,resume"}};

constexpr HelpTask kAb[] = {{"two builds, commands, variants or methods",
                             "a,b,cmd-a,cmd-b,gbench-a,gbench-b,variant,method-a,method-b"},
                            {"of which cases", "suite,scene,method,workload,set"},
                            {"judge", "metric,margin,policy,quick,compare-output"},
                            {"what was measured already", "bundle-a,bundle-b,samples"},
                            {"this machine", "calibrate"},
                            {"keep it, go on", "out,json,resume"}};

constexpr HelpTask kEval[] = {{"the truth", "scene,mesh,truth,dataset,rig,set"},
                              {"bring the cloud to it", "unit,align,crop"},
                              {"score", "protocol,thresholds,max-distance,depth,charuco"},
                              {"see more", "all,json,tiles"}};

}  // namespace

std::span<const HelpTask> help_tasks(std::string_view command) {
  if (command == "sweep") return kSweep;
  if (command == "ab") return kAb;
  if (command == "eval") return kEval;
  return {};
}

}  // namespace aqbench::cli
