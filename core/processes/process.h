#pragma once
// Other programs as child processes, without a shell.

#include <spawn.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/processes/isolate.h"

namespace aqbench {

// Returns the first executable file of that name in PATH; the name itself if there is none.
std::string find_in_path(const std::string& name);

// A program to start. argv[0] is looked up in PATH; a script without "#!" runs in /bin/sh. The program
// inherits this process's standard streams and environment unless changed here.
class ProgramStart {
 public:
  explicit ProgramStart(std::vector<std::string> argv);
  ~ProgramStart();
  ProgramStart(const ProgramStart&) = delete;
  ProgramStart& operator=(const ProgramStart&) = delete;

  // Passes an open descriptor to the program under another number (STDOUT_FILENO, 3, ...).
  void give(int descriptor, int number);
  // Gives it an empty stdin (/dev/null).
  void close_stdin();
  // Restores the default action of SIGPIPE, even if this process ignores it.
  void reset_sigpipe();

  // Starts the program and stores its process id in `process`. Returns 0 or the errno. Makes system calls
  // only, so a forked child of a threaded process may call it.
  int start(pid_t& process) const;
  // Replaces this process by the program. Returns the errno on failure. Makes system calls only.
  int become() const;

  // Sets an environment variable.
  void set_variable(const std::string& name, const std::string& value);
  // Removes all environment variables but those whose name `keep` accepts.
  void keep_variables(const std::function<bool(std::string_view name)>& keep);

 private:
  void set_environment(std::vector<std::string> variables);

  std::vector<std::string> argv_;
  std::vector<std::string> variables_;  // "NAME=VALUE"
  std::vector<char*> environment_;      // the same for posix_spawnp
  std::vector<std::pair<int, int>> given_;
  bool stdin_closed_ = false, sigpipe_reset_ = false;
  std::string script_;               // path of argv[0] in PATH
  std::vector<char*> words_;         // argv_ for posix_spawnp
  std::vector<char*> script_words_;  // the same for a script without "#!"
  posix_spawn_file_actions_t streams_{};
  posix_spawnattr_t attributes_{};
};

// Waits for a child of this process and returns its status as from waitpid().
int wait_for_end(pid_t process);

// Runs a program with this process's streams and returns its exit code as a shell reports it: 127 if it
// cannot be started, 128 + N if it died of signal N. Throws std::runtime_error if no process can be created.
int run_to_end(const std::vector<std::string>& argv);

// The answer of a program that was run as a query.
struct ProgramAnswer {
  bool ok = false;                                    // exited with 0 in time
  std::string output;                                 // its stdout, when ok
  std::string problem;                                // one line, when not
  IsolateOutcome::End end = IsolateOutcome::End::ok;  // `threw` if it exited with another code than 0
};

// Runs a program with empty stdin and returns its stdout, at most 16 MiB. It and its children are killed
// after timeout_s. Throws Error(io) only if no process can be created.
ProgramAnswer ask_program(const std::vector<std::string>& argv, double timeout_s);

// Does the same with all limits; result_limit_bytes applies to stdout. `variables` are added to the
// environment.
ProgramAnswer ask_program(const std::vector<std::string>& argv, const IsolateOptions& options,
                          const std::vector<std::pair<std::string, std::string>>& variables = {});

// Asks git about the repository around a folder; the output has no line ends at its end. A repository is
// untrusted: commands in its configuration do not run, and its index is not locked, since others may
// work in the checkout. `status` therefore applies no filters and looks into no submodules: a file that git
// stores through a filter (LFS) counts as changed where its time is not that of the index.
ProgramAnswer ask_git(const std::filesystem::path& folder, std::vector<std::string> arguments,
                      double timeout_s = 10);

}  // namespace aqbench
