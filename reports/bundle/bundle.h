#pragma once
// A run on disk: the evidence. Files of a bundle:
//   results.json summary.md env.json    written here
//   report.html                         written here (reports/html/html_report.h)
//   benchmark.json                      written here: the times in Google Benchmark's format
//   inventory.txt statement.json        written here (reports/bundle/statement.h)
//   notes.txt baseline.json tests.log   where asked for (reports/content/bundle_content.h,
//   reports/content/test_run.h) commands.txt                        reports/content/commands.h bench.log
//   journal.jsonl tiles/*.csv written by the sweep as it runs sha256.txt                          over all
//   the others; `sha256sum -c sha256.txt` reads it signature.json                      over sha256.txt, where
//   asked for (reports/bundle/signature.h)

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/records/results.h"
#include "reports/bundle/signature.h"

namespace aqbench {

// "20250520T101112Z".
std::string bundle_stamp(std::chrono::system_clock::time_point time);

// The name of its folder, "20250520T101112Z", however it is given: "out/20250520T101112Z/", ".".
std::string bundle_name(const std::filesystem::path& bundle);

// Makes OUT/<stamp>/, or <stamp>-1, -2, .. where the name is taken, and OUT itself if need be. The folder is
// new and nobody else's, however many start in one second. Throws Error(io).
std::filesystem::path create_bundle_dir(const std::filesystem::path& out,
                                        std::chrono::system_clock::time_point now);

// Files that every bundle has, sha256.txt included; and those that it has besides since summary version 2.
const std::vector<std::string>& required_bundle_files();
const std::vector<std::string>& derived_bundle_files();

// The bytes of env.json.
std::string environment_text(const Results& results);

// Writes results.json, summary.md, env.json, report.html, inventory.txt, statement.json, then sha256.txt over
// every file there is, and with a key signature.json (without one an old signature goes); each is whole or
// absent. May be called again after a resumed run. Throws Error(io), or Error(input) naming a required file
// that is absent and anything in the folder that cannot be evidence (link, socket, odd name).
void finalise_bundle(const std::filesystem::path& bundle, const Results& results,
                     const SigningKey* key = nullptr);

// Its last step, for bundles of any kind: removes leftovers of killed writes, then writes sha256.txt, and
// with a key signature.json (without one an old signature goes). `left_out` is a file that is about to be
// removed. Throws as finalise_bundle().
void write_hash_list(const std::filesystem::path& bundle, const std::vector<std::string>& required,
                     const SigningKey* key = nullptr, std::string_view left_out = "");

}  // namespace aqbench
