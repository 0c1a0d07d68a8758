#include "core/sandbox/sandbox.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "core/processes/isolate.h"
#include "core/sandbox/namespaces.h"
#include "core/sandbox/privileges.h"
#include "core/text.h"

namespace aqbench {
namespace {

// Strongest first.
constexpr std::array kKindsOfUnseen = {Unseen::files_and_processes, Unseen::files};

// Tries in a child what could leave this process half set up. Returns the reason of a failure; empty: it
// works.
std::string namespace_problem(ResolvedAccess access, Unseen unseen) {
  constexpr double patience_s = 30;
  const IsolateOptions options{.timeout_s = patience_s};
  const IsolateOutcome outcome = run_isolated(
      [&] {
        enter_namespaces(access, unseen);
        return std::string();
      },
      options);
  return describe(outcome, options);
}

constexpr std::string_view kLandlockName = "landlock ABI ", kAndNamespace = " and namespace",
                           kNamespaceName = "namespace", kWithNamespace = ", namespace",
                           kOwnProcesses = " and own processes",
                           kNoneName = "none: ", kCutShort = " (does not keep files from being cut short)";

// Whether Landlock prevents truncation, or another means must.
std::string landlock_name(int abi, bool alone) {
  return fmt::format("{}{}{}", kLandlockName, abi,
                     abi >= kLandlockGuardsTruncation || !alone ? "" : kCutShort);
}

// Returns the text about namespaces after Landlock's version (0: without Landlock).
std::string namespace_name(int abi, Unseen unseen) {
  const bool own_processes = unseen == Unseen::files_and_processes;
  if (abi == 0) return fmt::format("{}{}", kNamespaceName, own_processes ? kOwnProcesses : "");
  if (!own_processes) return fmt::format("{}{}", landlock_name(abi, false), kAndNamespace);
  return fmt::format("{}{}{}", landlock_name(abi, false), kWithNamespace, kOwnProcesses);
}

// Returns the reason of a failure; empty: this process is sandboxed.
std::string landlock_problem(const ResolvedAccess& access) {
  if (landlock_abi() == 0) return "this kernel has none, or it is switched off";
  try {
    // The kernel shows root the environment of other processes whatever Landlock says.
    give_up_privileges({CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID});
    const int error = enter_landlock(make_landlock_rules(access));
    return error == 0 ? "" : std::strerror(error);
  } catch (const Error& error) {
    return error.what();
  }
}

// Enters the strongest namespaces available. Returns the reason of a failure; empty: `unseen` says which. A
// container often covers parts of its /proc, which prevents mounting another one.
std::string enter_best_namespaces(ResolvedAccess& access, Unseen& unseen) {
  std::string problem;
  for (const Unseen kind : kKindsOfUnseen) {
    problem = namespace_problem(access, kind);
    if (problem.empty()) {
      unseen = kind;
      enter_namespaces(access, kind);
      return problem;
    }
    if (kind == Unseen::files_and_processes)
      fmt::print(stderr, "aqbench: isolation without own processes: {}\n", problem);
  }
  return problem;
}

std::string enter_what_works(const AccessList& access, const SandboxMeans& means) {
  if (!means.landlock && !means.namespaces) return fmt::format("{}{}", kNoneName, means.why_none);
  ResolvedAccess resolved = resolve(access);
  std::string no_namespace = "not asked for", no_landlock = "not asked for";
  Unseen unseen = Unseen::files;
  if (means.namespaces) no_namespace = enter_best_namespaces(resolved, unseen);
  // Landlock's rules apply to whole trees: alone they would expose hidden names below.
  if (!no_namespace.empty()) resolved.listable.clear();
  // Paths are the same inside, so the rules can be created there.
  if (means.landlock) no_landlock = landlock_problem(resolved);
  if (!no_landlock.empty() && !no_namespace.empty())
    return one_line(fmt::format("{}landlock: {}; namespace: {}", kNoneName, no_landlock, no_namespace));
  if (!no_namespace.empty()) return landlock_name(landlock_abi(), true);
  return namespace_name(no_landlock.empty() ? landlock_abi() : 0, unseen);
}

}  // namespace

SandboxMeans sandbox_means_from_environment() {
  const char* const value = std::getenv("AQBENCH_ISOLATION");
  const std::string_view text = value == nullptr ? "" : value;
  if (text.empty() || text == "both") return {};
  if (text == "landlock") return {.landlock = true, .namespaces = false};
  if (text == "namespace") return {.landlock = false, .namespaces = true};
  if (text == "off")
    return {.landlock = false, .namespaces = false, .why_none = "switched off by AQBENCH_ISOLATION"};
  throw Error(ErrorKind::usage,
              fmt::format("AQBENCH_ISOLATION: '{}' is not one of both, landlock, namespace, off", text));
}

std::string enter_sandbox(const AccessList& access, const SandboxMeans& means) {
  try {
    return enter_what_works(access, means);
  } catch (const std::exception& error) {
    return one_line(fmt::format("{}{}", kNoneName, error.what()));
  }
}

InnerSandbox::InnerSandbox(const AccessList& access, const SandboxMeans& means) {
  if (means.landlock && landlock_abi() > 0)
    rules_ = make_landlock_rules(resolve(access));
  else if (means.namespaces)
    ::prctl(PR_SET_DUMPABLE, 0);
}

int InnerSandbox::enter() const { return rules_ ? enter_landlock(*rules_) : 0; }

}  // namespace aqbench
