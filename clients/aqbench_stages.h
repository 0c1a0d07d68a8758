#ifndef AQBENCH_STAGES_H
#define AQBENCH_STAGES_H
/* Tells aqbench the stages of a program that it runs. Copy this file; it needs Linux, C99 or C++11 and
 * nothing else.
 *
 *   C:    aqbench_stage_begin("matching"); ... aqbench_stage_end();
 *   C++:  { aqbench::Stage stage("matching"); ... }
 *
 * Where the program is not run by aqbench (the variable AQBENCH_STAGES is not set), nothing is written.
 * Stages nest; those of other threads and of child processes are reported as such. A name is one line of at
 * most 200 bytes.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#if !defined(__cplusplus) && !defined(__USE_MISC)
long syscall(long number, ...); /* strict C99, and a header of the system was read before this one */
#endif
#ifndef O_CLOEXEC
#define O_CLOEXEC 02000000
#endif

/* Writes one line; the file is opened and closed for it, since files of one program may have several of this.
 */
static inline void aqbench_tell_stage(char kind, const char* name) {
  const char* const path = getenv("AQBENCH_STAGES");
  char line[512];
  struct {
    long s, ns;
  } now = {0, 0}; /* as Linux fills it */
  int file, size;
  if (path == NULL || *path == '\0') return;
  syscall(SYS_clock_gettime, 1 /* CLOCK_MONOTONIC */, &now);
  size = snprintf(line, sizeof line, "%c %ld%09ld %ld.%ld%s%.200s\n", kind, now.s, now.ns, (long)getpid(),
                  syscall(SYS_gettid), *name == '\0' ? "" : " ", name);
  if (size <= 0 || (size_t)size >= sizeof line) return;
  file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return;
  if (write(file, line, (size_t)size) < 0) { /* the program matters more than its stages */
  }
  close(file);
}

/* Begins a stage on this thread. */
static inline void aqbench_stage_begin(const char* name) { aqbench_tell_stage('B', name); }

/* Ends the stage of this thread that began last. */
static inline void aqbench_stage_end(void) { aqbench_tell_stage('E', ""); }

#ifdef __cplusplus
namespace aqbench {
/* Marks a stage from its construction to its destruction. */
class Stage {
 public:
  explicit Stage(const char* name) { aqbench_stage_begin(name); }
  ~Stage() { aqbench_stage_end(); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
};
}  // namespace aqbench
#endif
#endif /* AQBENCH_STAGES_H */
