#include "cli/command_trust.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "reports/bundle/signature.h"
#include "reports/bundle/trust.h"
#include "reports/bundle/verify.h"

namespace aqbench::cli {
namespace {

// Returns whether the whole bundle verifies and is signed by someone the user trusts.
bool is_signed_by_a_trusted_key(const std::filesystem::path& bundle, const CommandTrust& trust) {
  std::vector<TrustedKey> trusted;
  const auto file = trust.trust_file ? trust.trust_file : default_trust_file();
  if (file) trusted = read_trust_file(*file);
  if (trust.public_key) trusted.push_back({"--pubkey", key_fingerprint(read_public_key(*trust.public_key))});
  if (trusted.empty()) return false;
  const VerifyReport report = verify_bundle(bundle);
  return report.ok() && !name_of_key(trusted, report.signed_by).empty();
}

}  // namespace

std::vector<Flag<CommandTrust>> command_trust_flags() {
  return {{"run-its-commands", nullptr,
           "run the programs named by the bundle; without this flag they are only shown",
           into<&CommandTrust::run_its_commands>},
          {"pubkey", "KEY.pub.pem", "run them if this Ed25519 public key signed the bundle",
           into<&CommandTrust::public_key>},
          {"trust", "FILE",
           "run them if a key in this file signed it: lines NAME FINGERPRINT (default: "
           "~/.config/aqbench/trusted_keys.txt)",
           into<&CommandTrust::trust_file>}};
}

void require_trust(const std::filesystem::path& bundle, const char* journal,
                   const std::vector<std::string>& commands, const CommandTrust& trust) {
  if (commands.empty() || is_own_journal(bundle / journal) || is_signed_by_a_trusted_key(bundle, trust))
    return;
  fmt::print(stderr, "aqbench: {} would run these commands with your rights:\n", bundle.string());
  for (const std::string& command : commands) fmt::print(stderr, "  {}\n", printable(command));
  if (trust.run_its_commands) return;
  throw input_error(
      "{}: refusing to run its commands, because it was neither started by you in this folder nor signed "
      "by a trusted key (--pubkey, --trust); --run-its-commands runs those shown above",
      bundle.string());
}

void remember_commands(const std::filesystem::path& bundle, const char* journal,
                       const std::vector<std::string>& commands) {
  if (commands.empty()) return;
  if (const std::string problem = remember_own_journal(bundle / journal); !problem.empty())
    fmt::print(stderr,
               "aqbench: note: cannot record this run as yours, so --resume will need permission: {}\n",
               printable(problem));
}

}  // namespace aqbench::cli
