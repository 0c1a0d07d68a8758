#pragma once
// A comparison on disk: ab.json, summary.md, env.json, commands.txt, sha256.txt.

#include <filesystem>
#include <string>
#include <vector>

#include "core/json_box.h"
#include "harness/ab/ab_document.h"
#include "reports/bundle/signature.h"
#include "reports/bundle/verify.h"

namespace aqbench {

// Files that such a bundle has, sha256.txt included.
const std::vector<std::string>& required_ab_files(const char* main_file);

// Whether a folder with these files holds a comparison or a calibration: ab.json or calibration.json, and no
// results.json. nullptr if not, else the name of the file.
const char* ab_main_file(const std::vector<std::string>& files);

// The files of one comparison.
struct AbBundleText {
  const char* main_file = nullptr;  // kAbFile or kCalibrationFile
  std::string main_text, summary;
  JsonBox environment;
  bool complete = true;  // false: pairs.jsonl stays, so that it can be gone on with
};

// Writes them, then sha256.txt over every file there is and with a key signature.json, and at last removes
// pairs.jsonl of a complete comparison. commands.txt must be there. Throws as finalise_bundle().
void finalise_ab_bundle(const std::filesystem::path& bundle, const AbBundleText& text,
                        const SigningKey* key = nullptr);

// What of ab.json or calibration.json, summary.md, env.json and pairs.jsonl does not follow from the raw
// samples, and what of these is not as the run would have measured it: a pair dropped, added or moved.
struct AbVerification {
  std::vector<Finding> findings;
  std::size_t units = 0;
  bool complete = false;
};
AbVerification verify_ab_files(const std::filesystem::path& bundle, const char* main_file,
                               const std::vector<std::string>& files);

}  // namespace aqbench
