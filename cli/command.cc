#include "cli/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/removed_flags.h"
#include "core/json_members.h"
#include "core/module.h"
#include "core/parameters.h"
#include "core/resources.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"

namespace aqbench::cli {
namespace {

constexpr std::array kCommands = {
    Command{"sweep", "run scenes x methods or workloads, score or time them, write a verified bundle",
            sweep_command},
    Command{"budget", "say which cause makes how much of a method's error", budget_command},
    Command{"demo", "show in a few seconds how a gate finds a worse result", demo_command},
    Command{"eval", "score a point cloud or mesh file against a scene or a true mesh", eval_command},
    Command{"render", "render a scene through water: images, calibration, true depths", render_command},
    Command{"run", "run a method on a dataset of your own: cloud, mesh, depth maps", run_command},
    Command{"init", "start a project file, an example suite and a CI workflow for your repository",
            init_command},
    Command{"get", "fetch a public set of images or scans, and check it", get_command},
    Command{"cache", "list or clear the rendered datasets on disk", cache_command},
    Command{"profile", "where time and memory go: stages, bottlenecks, trace, flamegraph", profile_command},
    Command{"gate", "compare results with a baseline; exit 1 on a regression", gate_command},
    Command{"ab", "compare two builds, or two variants, in pairs: is B slower?", ab_command},
    Command{"accept", "make a verified bundle the new baseline", accept_command},
    Command{"verify", "check a bundle: hashes, schema, journal, summary", verify_command},
    Command{"list", "list scenes, methods, suites, metrics, rigs, imaging, workloads, stages", list_command},
    Command{"compare", "show two bundles side by side: what changed, and where", compare_command},
    Command{"bisect", "find the commit that made a program slower or worse", bisect_command},
    Command{"change", "measure how a surface changed between two clouds or meshes", change_command},
    Command{"check", "check relations of a method's results that need no truth", check_command},
    Command{"trend", "find where a value changed its level over many bundles", trend_command},
    Command{"report", "show a bundle as a page with pictures", report_command},
    Command{"import", "read numbers of another harness, CSV or JSON lines, as results", import_command},
    Command{"export", "write a bundle as CSV, LaTeX, SVG or coloured PLY", export_command},
    Command{"site", "write a static site over many bundles", site_command},
    Command{"docs", "fill the tables of documents, or check that they are fresh", docs_command},
    Command{"replay", "run a case of a bundle again and compare it bit for bit", replay_command},
    Command{"schema", "print the JSON Schema of a file format", schema_command},
    Command{"run-case", "run cases of a plan, anywhere, each into a folder of its own", run_case_command},
    Command{"collect", "make a bundle of the results of run-case", collect_command},
    Command{"merge", "merge the shards of a sweep into one bundle", merge_command},
    Command{"status", "show the progress of a sweep, from any machine that sees its folder", status_command},
    Command{"completion", "completion for bash, zsh or fish, as a script for the shell", completion_command},
    Command{"man", "the manual page of a command, or all of them", man_command},
    Command{"unit", "run one unit of `ab` in this process and print JSON (started by `ab`)", unit_command},
};

constexpr ExitCodeText kExitCodes[] = {{ExitCode::pass, "pass"},
                                       {ExitCode::regression, "regression or failed verification"},
                                       {ExitCode::usage, "usage or bad input"},
                                       {ExitCode::case_failed, "a case failed"},
                                       {ExitCode::not_comparable, "not comparable"},
                                       {ExitCode::inconclusive, "inconclusive"},
                                       {ExitCode::io, "reading or writing failed"},
                                       {ExitCode::interrupted, "interrupted"}};

void print_help() {
  fmt::print(
      "aqbench - benchmark and evaluation of 3D reconstruction through a flat water surface\n\n"
      "usage: aqbench COMMAND [OPTION]...\n\ncommands:\n");
  for (const Command& command : kCommands) fmt::print("  {:<10} {}\n", command.name, command.summary);
  fmt::print(
      "\n  aqbench COMMAND --help   the command's options\n  aqbench --version [--json]\n\nexit codes: 0 "
      "pass, 1 regression or failed verification, 2 usage or bad input, 3 a case failed,\n            4 not "
      "comparable, 5 inconclusive, 6 reading or writing failed, 130 interrupted\n");
}

// Prints the version; with --json its build, its path and its modules.
ExitCode print_version(const Arguments& arguments) {
  if (arguments.empty()) {
    fmt::print("aqbench {}\n", AQBENCH_VERSION);
    return ExitCode::pass;
  }
  if (arguments != Arguments{"--json"})
    throw usage_error("--version: unexpected argument; only --json is allowed");
  Json version = JsonOf<BuildInfo>::write(build_info());
  for (const auto& [library, number] : library_versions()) version["libraries"][library] = number;
  version["program"] = own_file().string();
  version["program_sha256"] = program_sha256();
  version["modules"] = Json::object();
  for (const Module module :
       {Module::meshes, Module::images, Module::pipeline, Module::torch, Module::opencl}) {
    const std::filesystem::path file = module_file(module);
    version["modules"][module_name(module)] = file.empty() ? Json() : Json(file.string());
  }
  fmt::print("{}\n", version.dump(2));
  return ExitCode::pass;
}

// Arguments of these commands are recorded and replayed.
void require_recordable(const Arguments& arguments) {
  constexpr std::string_view kRecording[] = {"sweep", "budget", "collect", "run",
                                             "ab",    "init",   "import",  "profile"};
  if (std::ranges::find(kRecording, arguments[0]) == std::end(kRecording)) return;
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (!is_valid_utf8(arguments[i]))
      throw usage_error("argument {} of {}: '{}' is not UTF-8", i, arguments[0], printable(arguments[i]));
}

ExitCode dispatch(const Arguments& arguments) {
  if (arguments.empty()) {
    print_help();
    return ExitCode::usage;
  }
  if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    if (arguments.size() > 1) return find_named("command", arguments[1], kCommands).run({"--help"});
    print_help();
    return ExitCode::pass;
  }
  if (arguments[0] == "--version") return print_version({arguments.begin() + 1, arguments.end()});
  for (const auto& [removed, instead] : kRemovedFlags)
    if (arguments[0] == removed) throw usage_error("{} was removed: {}", removed, instead);
  require_recordable(arguments);
  return find_named("command", arguments[0], kCommands)
      .run(Arguments(arguments.begin() + 1, arguments.end()));
}

// Reopens a standard stream that the caller closed: otherwise the next opened file takes its number and
// receives the output. Reading from stdin and writing to stdout then still fail; output to stderr is dropped.
void reserve_standard_streams() {
  for (const auto& [stream, mode] :
       {std::pair{STDIN_FILENO, O_WRONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_WRONLY}}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    if (::open("/dev/null", mode) != stream) std::_Exit(static_cast<int>(ExitCode::io));
  }
}

constexpr std::size_t kErrorColumns = 4000;  // shortens the quotation of a very long argument

// Prints a line on stderr. A failure to write it is ignored: the exit code shows the result.
void say(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

std::terminate_handler usual_end = nullptr;

// Ends the program if a destructor runs out of memory, as nlohmann_json's may: the exception cannot be
// caught.
void end_terminated() {
  try {
    if (const std::exception_ptr cause = std::current_exception()) std::rethrow_exception(cause);
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (...) {  // others are reported as usual, and the program aborts
  }
  usual_end();
  std::abort();
}

// Returns `code`, or ExitCode::io if output could not be written completely: a full disk behind stdout must
// not pass as a short file. A closed pipe is not reported.
ExitCode flush_stdout(ExitCode code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (errno != EPIPE) say(fmt::format("aqbench: error: stdout: {}", std::strerror(errno)));
  return ExitCode::io;
}

// Returns the error that says which commands have the option, if they are at most three, or what replaced it.
Error explained(const UnknownOption& error) {
  std::vector<std::string_view> names;
  for (const Command& command : kCommands)
    for (const FlagText& flag : line_of(command).flags)
      if ("--" + std::string(flag.name) == error.option) names.emplace_back(command.name);
  if (!names.empty() && names.size() <= 3)
    return usage_error("{} has no {}; {} {} it", error.command, error.option, fmt::join(names, " and "),
                       names.size() == 1 ? "has" : "have");
  for (const auto& [flag, instead] : kRemovedFlags)
    if (error.option == flag) return usage_error("{} was removed: {}", flag, instead);
  return error;
}

// Printing may fail, as any command may.
ExitCode dispatch_or_help(const Arguments& arguments) {
  try {
    return dispatch(arguments);
  } catch (const HelpWanted& help) {
    fmt::print("{}", help.text);
    return ExitCode::pass;
  } catch (const UnknownOption& error) {
    throw explained(error);
  }
}

}  // namespace

std::span<const Command> commands() { return kCommands; }
std::span<const ExitCodeText> exit_code_texts() { return kExitCodes; }

CommandLineText line_of(const Command& command) {
  try {
    command.run({"--help"});
  } catch (const HelpWanted& help) {
    return help.line;
  }
  return {};
}

int run_command_line(const Arguments& arguments) {
  // flush_stdout reports a closed pipe; a sweep's bundle is finished first. A file at its size limit is an
  // error of that write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  reserve_standard_streams();
  usual_end = std::set_terminate(end_terminated);
  ExitCode code = ExitCode::case_failed;
  try {
    code = dispatch_or_help(arguments);
  } catch (const Error& error) {
    say(fmt::format("aqbench: error: {}", elide_middle(printable(error.what()), kErrorColumns)));
    code = exit_code(error.kind());
  } catch (const std::filesystem::filesystem_error& error) {
    say(fmt::format("aqbench: error: {}: {}", printable(error.path1().string()), error.code().message()));
    code = ExitCode::io;
  } catch (const std::system_error& error) {
    // fmt reports a failed write to stdout in this way; anything else is ours.
    const bool of_stdout = std::ferror(stdout) != 0;
    if (!of_stdout || error.code().value() != EPIPE)
      say(fmt::format("aqbench: error: {}{}", of_stdout ? "stdout: " : "", error.code().message()));
    return static_cast<int>(ExitCode::io);
  } catch (const std::bad_alloc&) {
    say("aqbench: error: out of memory");
    code = ExitCode::io;
  } catch (const std::exception& error) {
    say(fmt::format("aqbench: internal error, please report: {}", printable(error.what())));
  }
  return static_cast<int>(flush_stdout(code));
}

}  // namespace aqbench::cli
