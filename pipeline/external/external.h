#pragma once
// Methods that are programs of the user: `external`, which reads the folder of a dataset and writes a PLY
// file, and those declared in a project file (pipeline/method/declaration.h). Then the words of a command and
// what belongs to it, its run, and the stages and results that it reports (formats: docs/projects.md).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sandbox/sandbox.h"
#include "core/stage_scope.h"
#include "pipeline/method/method.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// Splits at blanks. Single quotes protect everything, double quotes everything but \" and \\, and a backslash
// outside quotes the next character. Nothing else is special: no variables, patterns or pipes. Throws
// Error(usage) for an unterminated quote and a trailing backslash.
std::vector<std::string> split_command(std::string_view command);

// Returns the existing files and folders that belong to a command: the program and its interpreter with their
// folders, the first file named with its folder, other paths named alone or after "NAME=", and the folders in
// PATH, LD_LIBRARY_PATH and PYTHONPATH. For a folder "bin" or "shims" its parent counts; of one like
// ~/.cargo, which holds credentials, too, only the parts of programs (bin, lib, versions, ...). Shared
// folders and those above the user's own (/tmp, the home folder, parents of the working folder) belong to no
// program: only the file in them is added. Names are relative to `working_folder`; empty: that of this
// process.
std::vector<std::filesystem::path> command_reads(const std::vector<std::string>& words,
                                                 const std::filesystem::path& working_folder = {});

// Adds the folder that a program runs in, unless it is shared or above the user's own.
void add_program_folder(const std::filesystem::path& folder, std::vector<std::filesystem::path>& reads);

// The prefix of a word whose value is unknown before the command runs: {dataset}, {output}.
inline constexpr const char* kUnknownWord = "\1";

// Returns one line that names the missing file: the program, looked up in PATH if it has no slash, or the
// script of a known interpreter ("python3 -u run.py", "env NAME=1 bash run.sh"). Names are relative to
// `working_folder`; empty: that of this process. Returns "" if both exist, and where only the program can
// tell: "python3 -m module", "sh -c ...", a word that contains kUnknownWord. `knows_path`: PATH is that of
// this process.
std::string command_problem(const std::vector<std::string>& words,
                            const std::filesystem::path& working_folder, bool knows_path);

// Returns the program of a command, looked up in PATH, and every regular file that another word names, alone
// or after "NAME=". Names are relative to `base` for files in it. `working_folder` as in command_reads().
std::vector<GuestPart> command_parts(const std::vector<std::string>& words,
                                     const std::filesystem::path& working_folder,
                                     const std::filesystem::path& base);

// Returns the part for a path that a declaration lists, relative to `base`.
GuestPart listed_part(const std::string& path, const std::filesystem::path& base);

// Returns the lock file of an environment: the one declared, else the first usual one (pixi.lock, uv.lock,
// poetry.lock, conda-lock.yml, requirements.txt, environment.yml) beside the environment or in the project.
std::vector<GuestPart> lock_part(const MethodDeclaration& method, const std::filesystem::path& project_dir);

// Options of a command run.
struct CommandOptions {
  double timeout_s = 0;                                             // positive
  std::filesystem::path log_file;                                   // stdout and stderr; overwritten
  std::uint64_t log_limit_bytes = std::uint64_t{64} << 20;          // killed beyond this
  AccessList access = {};                                           // what it may reach
  std::vector<std::pair<std::string, std::string>> variables = {};  // added to the environment
  std::filesystem::path working_folder = {};                        // empty: this process's
};

// How a command ended.
struct CommandOutcome {
  enum class End { exited, signalled, timeout, log_limit, not_started, unsupervised };
  End end = End::exited;
  int code = 0;                        // exit code, signal, or errno of a failed start
  std::string program = {};            // first word
  std::optional<ProgramUse> use = {};  // of all its processes; none if the system reports nothing
};

// Starts words[0] (looked up in PATH) without a shell, in its own session without a terminal, with empty
// stdin and sandboxed according to AQBENCH_ISOLATION (core/sandbox/sandbox.h), and waits for it. TMPDIR is
// its temporary folder (access.temporary); of this process's variables it has those that methods need. When
// this returns, or the calling process dies, all its processes are killed in any group or session. Throws
// Error(io) if a process, pipe or rules cannot be created.
CommandOutcome run_command(const std::vector<std::string>& words, const CommandOptions& options);

// Returns whether a command gets this variable of aqbench's own environment: PATH, HOME, the language, and
// those by which interpreters, GPUs and libraries of threads are set up, but no name of a secret in these
// families, such as NVIDIA_API_KEY.
bool is_passed_on(std::string_view variable);

// Describes the end in one line: "ended with exit code 3", "died of signal 11 (Segmentation fault)", "was
// killed after 10 s, its time limit".
std::string describe(const CommandOutcome& outcome, const CommandOptions& options);

// Returns the last line of a log that is not blank, and before it what Python raised last, if that is another
// line: "ValueError: no points; last: cleaning up"; "" for an empty log.
std::string last_words(const std::filesystem::path& log);

// A thread of a process of the program.
struct ThreadId {
  std::int64_t process = 0, thread = 0;

  bool is_main() const { return process == thread; }
  auto operator<=>(const ThreadId&) const = default;
};

// A stage on the program's own clock.
struct ReportedStage {
  std::string name;
  std::int64_t start_ns = 0, end_ns = 0;
  ThreadId thread = {};
  std::uint64_t calls = 1;
  bool open = false;  // it had not ended
};

// Reads the text of a file:
//   {"stages": [{"name": "matching", "ms": 120.5}, {"name": "filter", "ms": 20, "parent": "matching",
//   "calls": 3}]}
// where stages follow each other and `parent` is the last stage of that name above; or a Chrome trace,
// {"traceEvents": [...]} or the array alone, of which complete ("X") and begin/end ("B", "E") events count:
// where torch.profiler's user annotations are among them, these alone, and never its operators and kernels.
// Throws Error(input) "FILE: what".
std::vector<ReportedStage> stages_of_file(std::string_view text, const std::string& file);

// The possible sources of a program's stages, and the time of its run (CLOCK_MONOTONIC).
struct StageSources {
  std::filesystem::path lines_file;  // of AQBENCH_STAGES; may be missing or empty
  std::filesystem::path file;        // stages or a Chrome trace, JSON; may be missing
  std::string file_name;             // name of `file` in errors
  std::int64_t start_ns = 0, end_ns = 0;
};

// The stages that were reported.
struct ReportedStages {
  std::vector<ProgramStage> stages;  // as in ProgramReport::stages
  std::string open;                  // the stage of the main thread that had not ended; empty: none
};

// Reads the stages: the lines or, if there are none, the file. Open stages end with the program. Throws
// Error(method) "FILE: line 3: problem" for an invalid file, for stages that overlap on one thread, lie
// outside the program's run or take longer than it.
ReportedStages read_program_stages(const StageSources& sources);

// What the depth maps of a program mean.
struct ResultDepths {
  bool along_z = false;         // else along the ray
  double metres_per_count = 0;  // of maps of integers; 0: not known
  // Cameras of the dataset; needed for depths along z and for numbered maps.
  std::vector<Camera> cameras = {};
  bool numbered = false;  // a file has the place of its camera as name, "00000003.pfm"
};

// Reads a cloud or mesh in any format of read_geometry_file(). `name` stands in the error of a missing file.
// Throws Error.
Reconstruction read_result(const std::filesystem::path& file, const std::string& name);

// Reads the depth maps of a folder, sorted by file name, into the output: CAMERA.npy (float32) with
// CAMERA_confidence.npy if it exists, and CAMERA with .pfm, .exr, .png, .tif, .tiff or .bin as
// read_depth_image() reads them; of COLMAP's CAMERA.png.geometric.bin the camera is CAMERA, and its
// photometric maps are read if there is no geometric one. Depths along z become depths along the ray: only
// for cameras without water. Values that are not positive and finite are no depth; of others that are none
// (drop_far_values()) `effective` has the number, as far_depths. Prints the channels of OpenEXR files. Throws
// Error naming file and reason: no map at all, an unknown camera, a map of another size than its camera,
// counts without metres_per_count and the other way round.
void read_result_maps(const std::filesystem::path& folder, const ResultDepths& depths,
                      Reconstruction& output);

// Fills in the intrinsics of cameras that read_camera_poses() read from `path`: of a COLMAP model the cameras
// beside its images, of transforms.json focal_lengths_at(), cx, cy, w and h of the frame or the top, and the
// lens.
// Those that are not there, and a lens that no camera here can hold, stay without. Throws
// Error(input) naming the file and what is malformed.
void read_own_intrinsics(const std::filesystem::path& path, std::vector<OwnCamera>& cameras);

// A program run and the places of its results.
struct ProgramRun {
  std::vector<std::string> words;
  std::string result;                  // cloud or mesh, relative to the output folder; empty: none
  std::string stages = "stages.json";  // read if it exists
  std::string depth_maps = {};         // subfolder with depth maps; empty: none
  ResultDepths depth_meaning = {};
  double metres_per_unit = 1;  // of points and depths
  double timeout_s = 0;
  std::vector<std::pair<std::string, std::string>> variables = {};  // environment variables
  std::filesystem::path working_folder = {};                        // empty: this process's
  std::vector<std::filesystem::path> reads = {};                    // readable beside the dataset
  std::string cameras = {};  // file or folder with its own poses, relative to the output folder; empty: none
  std::string world_from_cloud = {};  // file with a similarity, relative to the output folder; empty: none
};

// Returns what the depth maps of a method mean that gets this dataset, and how their files are named.
ResultDepths depths_of(const Observation& observation, const MethodDeclaration& method);

// Reads the results of a program in a folder, in metres and in the world's frame. Throws Error(method).
Reconstruction read_results(const std::filesystem::path& output_dir, const ProgramRun& program);

// Copies what protocols score from a folder to kProtocolFilesFolder; `given` stands for the place "". Throws
// Error(method) naming what is missing, Error(io).
void keep_protocol_files(const MethodInput& input, const std::filesystem::path& folder,
                         const std::string& given = {});

// Returns the folder that a program writes to: {output}.
std::filesystem::path output_folder(const MethodInput& input);

// Runs the program with an empty output folder and reads its results. Reports its resource use and stages
// (core/stage_scope.h), also on failure. Throws like run_external(), and Error(method) for unreadable
// stages.
Reconstruction run_program(const Observation& observation, const MethodInput& input,
                           const ProgramRun& program);

// Returns the words that start the command in its environment: with a program of bin/ where that holds one of
// the name, or by apptainer or podman, which see `bound` (readable or writable folders) under their own
// names. An environment that is none leaves the words as they are.
std::vector<std::string> words_in_environment(const MethodInput& input, std::vector<std::string> words,
                                              const std::filesystem::path& working_folder,
                                              const std::vector<std::filesystem::path>& bound);

// Returns the variables of an environment: PATH with its bin/ first, VIRTUAL_ENV or CONDA_PREFIX.
std::vector<std::pair<std::string, std::string>> environment_variables(const MethodInput& input);

// Returns in one line what of the environment is missing: its folder, the image file, the client; "" if
// nothing is.
std::string environment_problem(const MethodInput& input);

// Returns the image of a container by its digest; none for another environment. The digest of a file is its
// hash, that of a name comes from the client. Throws Error(method) where the client does not know the image.
std::vector<GuestPart> image_part(const MethodInput& input);

// Starts the image once with the program `true`, as `program` would start. Throws CannotRunHere with the
// client's last line where it does not.
void require_container_starts(const MethodInput& input, const ProgramRun& program,
                              const std::filesystem::path& dataset_dir);

// ---- The methods ----

// Returns the parameters of `external`: command, result and timeout_s.
std::vector<ParameterSpec> external_parameters();

// Returns the stages that run_external() opens, outermost first.
std::vector<std::string> external_stages();

// Returns the paths that the program reads beside the dataset: its command's files and, of a declared method,
// the project's folder and the working folder unless they are shared by several programs, and the paths that
// its declaration lists.
std::vector<std::filesystem::path> external_reads(const Observation& observation, const MethodInput& input);

// Returns what makes the method what it is: program and files of its command and, of a declared method,
// `reads`, lock file, image of its container.
std::vector<GuestPart> external_guest(const MethodInput& input);

// Returns in one line why the command cannot be started: a missing working folder, program or script; "" if
// no problem is found. Throws Error(usage) for a command without {output} or that cannot be split into words.
// Uses no work_dir.
std::string external_problem(const MethodInput& input);

// Returns what run_external() would start for a method that sees this dataset as it is.
ProgramRun external_program(const Observation& seen, const MethodInput& input);

// Runs `command` without a shell, with {dataset}, {output} and {threads} filled in, and reads `result`, a PLY
// file relative to {output}, an initially empty folder; or, where MethodInput::declaration is set, its
// command with its placeholders filled in, in its working folder, and its results in its unit. The program's
// output goes to work_dir / kMethodLog. Throws ProgramFailure if the program exceeds its time limit or dies
// of a signal; Error(method) for a non-zero exit code and for a missing or unreadable result; Error(usage)
// for a command that cannot be run and a working folder that does not exist.
Reconstruction run_external(const Observation& observation, const MethodInput& input);

}  // namespace aqbench
