#pragma once
// One run of an external program as a method, from its command line to its results.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/external/result_files.h"
#include "pipeline/method/method.h"

namespace aqbench {

// A program run and the places of its results.
struct ProgramRun {
  std::vector<std::string> words;
  std::filesystem::path output;        // {output}
  std::string result;                  // cloud or mesh, relative to the output folder
  std::string stages = "stages.json";  // read if it exists (program_stages.h)
  std::string depth_maps = {};         // subfolder with depth maps; empty: none
  ResultDepths depth_meaning = {};
  double metres_per_unit = 1;  // of points and depths
  double timeout_s = 0;
  std::vector<std::pair<std::string, std::string>> variables = {};  // environment variables
  std::filesystem::path working_folder = {};                        // empty: this process's
  std::vector<std::filesystem::path> reads = {};                    // readable beside the dataset
  std::string cameras = {};  // file or folder with its own poses, relative to the output folder; empty: none
};

// Returns the folder that a program writes to: {output}.
std::filesystem::path output_folder(const MethodInput& input);

// Runs the program with an empty output folder and reads its results. Reports its resource use and stages
// (core/program_report.h), also on failure. Throws like run_external(), and Error(method) for unreadable
// stages.
Reconstruction run_program(const Observation& observation, const MethodInput& input,
                           const ProgramRun& program);

}  // namespace aqbench
