#pragma once
// Runs one case, in the child process that was forked for it.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/case.h"
#include "harness/case_board.h"
#include "harness/record.h"
#include "scenes/core/reconstruction.h"

namespace aqbench {

// Artefacts are files of the bundle: path relative to it ("tiles/NAME.csv") and bytes.
struct CaseResult {
  Record record;
  std::vector<std::pair<std::string, std::string>> artefacts;
};

// The record of a case that has not run: names, axes, options, faults planned (0 times), status failed.
Record planned_record(const Case& planned);

// Makes the scene and, for a real method, its images (dataset_ms), runs the method (the first call of this
// process: cold_ms; then warm as the case's timing says), scores the result; or proves and times a workload.
// What goes wrong stands in the record as failed with a one-line reason: also a real method's output without
// points or with one that is not finite. A case that cannot run here is skipped. Never throws for what a
// method does. Stages and faults are noted on the board as they happen.
CaseResult run_case(const Case& planned, CaseBoard& board);

// What is kept of a scored case beside its tables.
struct KeptFiles {
  bool cloud = false;    // what was scored: clouds/NAME.ply
  bool pictures = true;  // of depth maps: pictures/NAME/ (harness/depth_pictures.h)
};
CaseResult run_case_keeping(const Case& planned, CaseBoard& board, const KeptFiles& kept);

// The same without scoring a method's output: where its hash is enough.
CaseResult run_case_unscored(const Case& planned, CaseBoard& board);

// SHA-256 over every array of a reconstruction, the same for the same values. Arrays are hashed as
// little-endian bytes: "points_m COUNT HASH" and so on, one line each.
std::string output_sha256(const Reconstruction& reconstruction);

// A file name for a case: "/" becomes "__"; any other character than [A-Za-z0-9_.=,+-] becomes "_", and then
// 8 digits of the name's hash are added, so that two names never become one.
std::string file_name_of(std::string_view case_name);

// As bytes for the pipe between child and parent. decode throws Error(input) for anything else.
std::string encode_case_result(const CaseResult& result);
CaseResult decode_case_result(std::string_view bytes);

}  // namespace aqbench
