#include "cli/sweep/ownership.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/files.h"
#include "reports/content/commands.h"

namespace aqbench::cli {

void note_ownership(const Json& environment, const std::filesystem::path& log) {
  const Json& git = environment.at("working_directory_git");
  if (!git.contains("reason") ||
      git.at("reason").get<std::string>().find("dubious ownership") == std::string::npos)
    return;
  const std::string lost = fmt::format(
      "warning: the commit is unknown, because another user owns this folder; git config --global --add "
      "safe.directory {}\n",
      shell_quote(std::filesystem::current_path().string()));
  fmt::print(stderr, "aqbench: {}", lost);
  append_to_file(log, lost);
}

}  // namespace aqbench::cli
