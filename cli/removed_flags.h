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
    {"--pdf", "write charts with --svg DIR; rsvg-convert makes PDF files of them (docs/reports.md)"},
    {"--vega", "take the values from --csv"},
    {"--trust", "check a signature with ssh-keygen -Y verify (docs/evidence.md)"},
};

}  // namespace aqbench::cli
