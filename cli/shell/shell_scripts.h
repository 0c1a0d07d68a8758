#pragma once
// Shell scripts that ask this program for completions.

#include <string>

namespace aqbench::cli {

// Returns the script for "bash", "zsh" or "fish", for a file that the shell reads. Throws Error(usage) for
// any other shell.
std::string completion_script(const std::string& shell);

}  // namespace aqbench::cli
