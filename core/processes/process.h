#pragma once
// Other programs as child processes, without a shell.

#include <spawn.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/processes/isolate.h"

namespace aqbench {

// Returns the first file of that name in PATH that may be executed; the name itself where there is none.
std::string find_in_path(const std::string& name);

// How a program is started. argv[0] is looked up in PATH; a script without "#!" runs in /bin/sh. The program
// inherits this process's standard streams and environment unless another stream is given.
class ProgramStart {
 public:
  explicit ProgramStart(std::vector<std::string> argv);
  ~ProgramStart();
  ProgramStart(const ProgramStart&) = delete;
  ProgramStart& operator=(const ProgramStart&) = delete;

  // Gives the program an open descriptor of this process under a number of its own (STDOUT_FILENO, 3, ...).
  void give(int descriptor, int number);
  // Closes off its stdin: it reads from /dev/null.
  void close_stdin();
  // Lets a closed pipe end it, as is usual, even where this process ignores SIGPIPE.
  void reset_sigpipe();

  // Starts the program and puts its process id into `process`. Returns 0, or the errno of why it could not be
  // started. Makes system calls only, so that a forked child of a process with threads may call it, too.
  int start(pid_t& process) const;
  // Turns this process into the program. Returns the errno of why that could not be. Makes system calls only.
  int become() const;

  // Sets a variable of its environment.
  void set_variable(const std::string& name, const std::string& value);
  // Leaves out all variables of its environment whose names start like that.
  void leave_out_variables(std::string_view start);

 private:
  void set_environment(std::vector<std::string> variables);

  std::vector<std::string> argv_;
  std::vector<std::string> variables_;  // "NAME=VALUE"
  std::vector<char*> environment_;      // the same as posix_spawnp takes it
  std::vector<std::pair<int, int>> given_;
  bool stdin_closed_ = false, sigpipe_reset_ = false;
  std::string script_;               // where PATH has argv[0]
  std::vector<char*> words_;         // argv_ as posix_spawnp takes it
  std::vector<char*> script_words_;  // the same for a script without "#!"
  posix_spawn_file_actions_t streams_{};
  posix_spawnattr_t attributes_{};
};

// Waits for a child of this process to end and returns its status as waitpid() gives it.
int wait_for_end(pid_t process);

// Runs a program with this process's streams to its end and returns its exit code as a shell gives it: 127 if
// it cannot be started, 128 + N if it died of signal N. Throws std::runtime_error if there can be no process.
int run_to_end(const std::vector<std::string>& argv);

// What a program that was asked something said.
struct ProgramAnswer {
  bool ok = false;                                    // ended with 0 in time
  std::string output;                                 // its stdout, when ok
  std::string problem;                                // one line, when not
  IsolateOutcome::End end = IsolateOutcome::End::ok;  // `threw` where it ended with another code than 0
};

// Runs a program with its stdin closed off and returns what it wrote to stdout, at most 16 MiB. It and what
// it started are killed after timeout_s. Throws Error(io) only if no process can be made.
ProgramAnswer ask_program(const std::vector<std::string>& argv, double timeout_s);

// Does the same with all limits; result_limit_bytes is of its stdout. The program has these variables beside
// this process's.
ProgramAnswer ask_program(const std::vector<std::string>& argv, const IsolateOptions& options,
                          const std::vector<std::pair<std::string, std::string>>& variables = {});

// Asks git about the repository around a folder; the output has no line ends at its end. Nothing that the
// repository's configuration names is run, and its index is not locked: others may work in the checkout.
ProgramAnswer ask_git(const std::filesystem::path& folder, std::vector<std::string> arguments,
                      double timeout_s = 10);

}  // namespace aqbench
