// A library for LD_PRELOAD: in the program that it is loaded into, one call fails as on a full disk or
// without memory (docs/robustness.md).
//   AQBENCH_FAULT=KIND:N[:from][:all]  the N-th call of KIND fails, with `from` every later one, too; KIND is
//                                      write (ENOSPC), fsync (EIO), rename (EIO), mmap or malloc (ENOMEM). N
//                                      = 0 counts and fails nothing. Children are spared, unless `all` stands
//                                      there.
//   AQBENCH_FAULT_REPORT=FILE          gets six 64-bit numbers: calls of each kind so far, and failed ones.
//   AQBENCH_CLOCK=N:S                  from its N-th reading on the wall clock shows S seconds more.
// Calls count from main() on. Writes count where they go to a file on disk, stderr excepted: an error must be
// able to say so.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

enum Kind { kWrite, kFsync, kRename, kMmap, kMalloc, kKinds };
constexpr std::array<const char*, kKinds> kKindNames = {"write", "fsync", "rename", "mmap", "malloc"};

struct Report {
  std::array<std::atomic<std::uint64_t>, kKinds> calls;
  std::atomic<std::uint64_t> failed;
};

Report* report = nullptr;  // set while calls are counted
int failing_kind = kKinds;
std::uint64_t failing_call = 0;
bool and_later = false;

bool fails(Kind kind) {
  if (report == nullptr) return false;
  const std::uint64_t call = ++report->calls[kind];
  if (kind != failing_kind || failing_call == 0) return false;
  if (and_later ? call < failing_call : call != failing_call) return false;
  ++report->failed;
  return true;
}

std::atomic<std::int64_t> readings_left{0};  // of the wall clock, before it is set
std::int64_t clock_step_s = 0;

timespec clock_of(clockid_t clock) {
  timespec now{};
  ::syscall(SYS_clock_gettime, clock, &now);
  if (clock == CLOCK_REALTIME && clock_step_s != 0 && --readings_left < 0) now.tv_sec += clock_step_s;
  return now;
}

[[noreturn]] void refuse(const char* why) {
  std::fprintf(stderr, "fault_shim: %s\n", why);
  std::_Exit(99);
}

void start_counting() {
  if (const char* const step = std::getenv("AQBENCH_CLOCK"); step != nullptr) {
    char* rest = nullptr;
    readings_left = std::strtoll(step, &rest, 10) - 1;
    if (*rest != ':') refuse("AQBENCH_CLOCK is not N:S");
    clock_step_s = std::strtoll(rest + 1, nullptr, 10);
  }
  const char* const fault = std::getenv("AQBENCH_FAULT");
  const char* const file = std::getenv("AQBENCH_FAULT_REPORT");
  if (fault == nullptr || file == nullptr) return;
  const bool all = std::strstr(fault, ":all") != nullptr;
  if (!all && std::getenv("AQBENCH_FAULT_STARTED") != nullptr) return;  // a program that the first one runs
  ::setenv("AQBENCH_FAULT_STARTED", "1", 1);
  const char* const colon = std::strchr(fault, ':');
  for (int kind = 0; kind < kKinds && colon != nullptr; ++kind)
    if (std::strncmp(fault, kKindNames[kind], static_cast<std::size_t>(colon - fault)) == 0)
      failing_kind = kind;
  if (failing_kind == kKinds) refuse("AQBENCH_FAULT is not KIND:N");
  failing_call = std::strtoull(colon + 1, nullptr, 10);
  and_later = std::strstr(fault, ":from") != nullptr;
  const int descriptor = ::open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0 || ::ftruncate(descriptor, sizeof(Report)) != 0) refuse("cannot open the report");
  void* const mapped = reinterpret_cast<void*>(
      ::syscall(SYS_mmap, nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0));
  if (mapped == MAP_FAILED) refuse("cannot map the report");
  ::close(descriptor);
  if (!all) ::pthread_atfork(nullptr, nullptr, [] { report = nullptr; });
  report = static_cast<Report*>(mapped);
}

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  start_counting();
  return program_main(argc, argv, environment);
}

bool is_on_disk(int descriptor) {
  struct stat file {};
  return report != nullptr && descriptor != STDERR_FILENO && ::fstat(descriptor, &file) == 0 &&
         S_ISREG(file.st_mode);
}

bool write_fails(int descriptor) {
  if (!is_on_disk(descriptor) || !fails(kWrite)) return false;
  errno = ENOSPC;
  return true;
}

template <class Result>
Result failed(int error, Result result) {
  errno = error;
  return result;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader_fini)(),
                      void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  program_main = main;
  const auto start = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}

ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  return write_fails(descriptor) ? -1 : ::syscall(SYS_write, descriptor, bytes, size);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  return write_fails(descriptor) ? -1 : ::syscall(SYS_writev, descriptor, parts, count);
}

ssize_t pwrite(int descriptor, const void* bytes, std::size_t size, off_t offset) {
  return write_fails(descriptor) ? -1 : ::syscall(SYS_pwrite64, descriptor, bytes, size, offset);
}

int clock_gettime(clockid_t clock, timespec* out) {
  *out = clock_of(clock);
  return 0;
}

time_t time(time_t* out) {
  const time_t now = clock_of(CLOCK_REALTIME).tv_sec;
  if (out != nullptr) *out = now;
  return now;
}

int fsync(int descriptor) {
  return fails(kFsync) ? failed(EIO, -1) : static_cast<int>(::syscall(SYS_fsync, descriptor));
}

int fdatasync(int descriptor) {
  return fails(kFsync) ? failed(EIO, -1) : static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}

int rename(const char* from, const char* to) {
  return fails(kRename) ? failed(EIO, -1) : static_cast<int>(::syscall(SYS_rename, from, to));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned int flags) {
  return fails(kRename) ? failed(EIO, -1)
                        : static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return renameat2(from_folder, from, to_folder, to, 0);
}

void* mmap(void* address, std::size_t size, int protection, int flags, int descriptor, off_t offset) {
  if (fails(kMmap)) return failed(ENOMEM, MAP_FAILED);
  return reinterpret_cast<void*>(::syscall(SYS_mmap, address, size, protection, flags, descriptor, offset));
}

void* malloc(std::size_t size) {
  return fails(kMalloc) ? failed<void*>(ENOMEM, nullptr) : __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  return fails(kMalloc) ? failed<void*>(ENOMEM, nullptr) : __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) {
  return fails(kMalloc) ? failed<void*>(ENOMEM, nullptr) : __libc_realloc(old, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails(kMalloc) ? failed<void*>(ENOMEM, nullptr) : __libc_memalign(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (fails(kMalloc)) return ENOMEM;
  *result = __libc_memalign(alignment, size);
  return *result == nullptr ? ENOMEM : 0;
}

}  // extern "C"
