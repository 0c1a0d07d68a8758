#pragma once
// Flags and commands of the version before, and what replaces them.

namespace aqbench::cli {

struct RemovedFlag {
  const char* flag;     // "--sign", or a command: "work"
  const char* instead;  // "sign sha256.txt with ssh-keygen (docs/evidence.md)"
};

inline constexpr RemovedFlag kRemovedFlags[] = {
    {"--render", "older bundles verify as they are; aqbench report makes a page of one"},
    {"--sign", "sign sha256.txt with ssh-keygen -Y sign (docs/evidence.md)"},
    {"--pubkey", "check a signature with ssh-keygen -Y verify (docs/evidence.md)"},
    {"work", "aqbench run-case PLAN CASE runs a case anywhere (docs/engines.md)"},
    {"--lease", "no process waits for another one; the case of a killed one is run again (docs/engines.md)"},
    {"--unlike-nodes",
     "times of unlike machines are refused; ask for alike nodes: --sbatch-arg=--constraint=..."},
    {"--blocks", "aqbench ab --variant NAME=A,B compares times in pairs and judges them"},
    {"--depth-range", "--set plane_sweep.depth_range_m=LOW:HIGH"},
    {"--layouts", "link the programs in another order and compare them again"},
    {"--pdf", "write charts with --svg DIR; rsvg-convert makes PDF files of them (docs/reports.md)"},
    {"--relink-a", "link the programs in another order and compare them again"},
    {"--relink-b", "link the programs in another order and compare them again"},
    {"--vega", "take the values from --csv"},
    {"--trust", "check a signature with ssh-keygen -Y verify (docs/evidence.md)"},
};

}  // namespace aqbench::cli
