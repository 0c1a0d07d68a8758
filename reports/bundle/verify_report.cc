#include "reports/bundle/verify_report.h"

#include <fmt/format.h>

#include "core/table.h"
#include "core/text.h"

namespace aqbench {

std::string render_verify(const VerifyReport& report, bool colours, const std::vector<TrustedKey>& trusted) {
  const auto paint = [&](const char* escape, const std::string& text) {
    return colours ? escape + text + "\033[0m" : text;
  };
  std::string text;
  for (const Finding& finding : report.findings)
    text += wrap_text(printable(finding.file + ": " + finding.what), kScreenColumns, 4);
  for (const std::string& note : report.notes)
    text += wrap_text("note: " + printable(note), kScreenColumns, 6);
  if (!report.root_digest.empty())
    text +=
        fmt::format("root digest     {}\nmetrics digest  {}\n", report.root_digest, report.metrics_digest);
  if (const std::string& key = report.signed_by; !key.empty()) {
    const std::string name = name_of_key(trusted, key);
    text +=
        "signed by       " + (name.empty() ? "key " + key + ", unknown here" : name + ", key " + key) + "\n";
  }
  const std::string held =
      fmt::format("{} files, {} {}{}\n", report.files + 1, report.records,
                  report.of_units ? "units" : "records", report.complete ? "" : ", of an interrupted run");
  switch (report.verdict()) {
    case VerifyVerdict::not_verified:
      return text + paint("\033[31m", "NOT VERIFIED: " + counted(report.findings.size(), "finding")) + "\n";
    case VerifyVerdict::other_version:
      return text + paint("\033[33m", "NOT VERIFIED BY THIS VERSION") + ": " + held +
             wrap_text(printable(report.other_version->file + ": " + report.other_version->what),
                       kScreenColumns, 4);
    case VerifyVerdict::verified:
      break;
  }
  return text + paint("\033[32m", "verified") + ": " + held;
}

std::string first_problem(const VerifyReport& report) {
  if (report.findings.empty() && !report.other_version) return {};
  if (report.findings.empty())
    return fmt::format("not verified by this version: {}: {}", report.other_version->file,
                       report.other_version->what);
  const Finding& first = report.findings.front();
  const std::size_t more = report.findings.size() - 1;
  return fmt::format("{}: {}{}", first.file, first.what,
                     more == 0 ? "" : fmt::format(" (and {} more; see aqbench verify)", more));
}

void require_verified(const VerifyReport& report, const std::filesystem::path& bundle) {
  if (report.verdict() == VerifyVerdict::other_version)
    throw Error(ErrorKind::not_comparable, fmt::format("{}: {}", bundle.string(), first_problem(report)));
  if (!report.ok())
    throw Error(ErrorKind::verification,
                fmt::format("{}: does not verify: {}", bundle.string(), first_problem(report)));
}

ExitCode exit_code(VerifyVerdict verdict) {
  switch (verdict) {
    case VerifyVerdict::not_verified:
      return ExitCode::regression;
    case VerifyVerdict::other_version:
      return ExitCode::other_version;
    case VerifyVerdict::verified:
      break;
  }
  return ExitCode::pass;
}

}  // namespace aqbench
