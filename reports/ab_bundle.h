#pragma once
// A comparison on disk: ab.json, summary.md, env.json, commands.txt, sha256.txt.

#include <filesystem>
#include <string>
#include <vector>

#include "reports/ab_document.h"
#include "reports/verify.h"

namespace aqbench {

// Files that such a bundle has, sha256.txt included.
const std::vector<std::string>& required_ab_files(const char* main_file);

// Whether a folder with these files holds a comparison or a calibration: ab.json or calibration.json, and no
// results.json. nullptr if not, else the name of the file.
const char* ab_main_file(const std::vector<std::string>& files);

// Writes main_file, summary.md and env.json, then sha256.txt over every file there is. commands.txt must be
// there. Throws as finalise_bundle().
void finalise_ab_bundle(const std::filesystem::path& bundle, const char* main_file,
                        const std::string& main_text, const std::string& summary,
                        const std::string& environment_json);

// What of ab.json or calibration.json, summary.md and env.json does not follow from the raw samples.
std::vector<Finding> verify_ab_files(const std::filesystem::path& bundle, const char* main_file,
                                     const std::vector<std::string>& files);

}  // namespace aqbench
