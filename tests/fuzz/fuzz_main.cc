// libFuzzer's entry: aqbench_fuzz TARGET [libFuzzer's flags] [CORPUS...]. `list` prints the targets.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/scratch_folder.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

const char* const kTargetVariable = "AQBENCH_FUZZ_TARGET";  // children of libFuzzer get it by this

const aqbench::fuzz::Target* find_target(const char* name) {
  static const std::vector<aqbench::fuzz::Target> targets = aqbench::fuzz::all_targets();
  for (const auto& target : targets)
    if (name != nullptr && std::strcmp(target.name, name) == 0) return &target;
  return nullptr;
}

const aqbench::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc > 1 && std::strcmp((*argv)[1], "list") == 0) {
    for (const auto& target : aqbench::fuzz::all_targets()) std::printf("%s\n", target.name);
    std::exit(0);
  }
  if (*argc > 1 && find_target((*argv)[1]) != nullptr) {
    ::setenv(kTargetVariable, (*argv)[1], 1);
    (*argv)[1] = (*argv)[0];
    ++*argv;
    --*argc;
  }
  chosen = find_target(std::getenv(kTargetVariable));
  if (chosen == nullptr) {
    std::fprintf(stderr, "usage: aqbench_fuzz TARGET [-runs=N] [CORPUS...]; aqbench_fuzz list\n");
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const aqbench::ScratchFolder folder;
  aqbench::fuzz::run_target(*chosen, {reinterpret_cast<const char*>(data), size}, folder.path());
  return 0;
}
