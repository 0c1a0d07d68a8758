#include "cli/bundle_report.h"

#include <fmt/format.h>

#include "reports/bundle/verify.h"
#include "reports/html/report.h"

namespace aqbench::cli {

ExitCode report_bundle(const std::filesystem::path& bundle, std::FILE* stream, ExitCode code,
                       const std::string& next) {
  const VerifyReport verified = verify_bundle(bundle);
  if (!verified.ok()) {
    fmt::print(stderr, "aqbench: error: the bundle does not verify\n{}", render_verify(verified));
    return combine(code, ExitCode::regression);
  }
  fmt::print(stream, "report: {} (verified)\n", (bundle / kReportName).string());
  if (!next.empty()) fmt::print(stream, "next: {}\n", next);
  return code;
}

}  // namespace aqbench::cli
