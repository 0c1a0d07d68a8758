#pragma once
// One run of somebody else's program as a method: from its words to what it wrote.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench {

// What is run, and where its results are.
struct ProgramRun {
  std::vector<std::string> words;
  std::filesystem::path output;        // {output}
  std::string result;                  // PLY file, relative to the output folder
  std::string stages = "stages.json";  // read where it is there (program_stages.h)
  std::string depth_maps = {};         // folder of CAMERA.npy there; empty: none
  double metres_per_unit = 1;          // of points and depths
  double timeout_s = 0;
  std::vector<std::pair<std::string, std::string>> variables = {};  // of its environment
  std::filesystem::path working_folder = {};                        // empty: this process's
  std::vector<std::filesystem::path> reads = {};                    // beside the dataset
};

// Returns the folder that a run's program writes to: {output}.
std::filesystem::path output_folder(const MethodInput& input);

// Runs the program with an empty output folder and reads its results. What it used and its stages are
// reported (core/program_report.h), also where it fails. Throws as run_external(), and Error(method) for
// stages that cannot be read.
Reconstruction run_program(const Observation& observation, const MethodInput& input,
                           const ProgramRun& program);

}  // namespace aqbench
