#pragma once
// Flags of the version before, and what replaces them.

namespace aqbench::cli {

struct RemovedFlag {
  const char* flag;     // "--sign"
  const char* instead;  // "sign sha256.txt with ssh-keygen (docs/evidence.md)"
};

inline constexpr RemovedFlag kRemovedFlags[] = {
    {"--sign", "sign sha256.txt with ssh-keygen -Y sign (docs/evidence.md)"},
    {"--pubkey", "check a signature with ssh-keygen -Y verify (docs/evidence.md)"},
    {"--trust", "check a signature with ssh-keygen -Y verify (docs/evidence.md)"},
};

}  // namespace aqbench::cli
