#pragma once
// File descriptors that close themselves.

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "core/error.h"

namespace aqbench {

// An open descriptor, closed by the destructor; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  int get() const { return descriptor_; }

  // Returns the descriptor and gives up ownership of it.
  int release() { return std::exchange(descriptor_, -1); }

  // Closes the descriptor and takes ownership of another one.
  void reset(int descriptor = -1) {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = descriptor;
  }

 private:
  int descriptor_;
};

// Makes a file in memory that has no name. Throws Error(io) "WHAT: reason".
Descriptor memory_file(const char* what);

// Closes all descriptors of this process except the standard streams and those in `kept`.
void close_all_but(std::span<const int> kept);

// Closes all descriptors of this process except one, standard streams included. Makes system calls only.
void close_everything_but(int kept);

// Marks all descriptors from `first` on close-on-exec. Makes system calls only, so a forked child of a
// threaded process may call it.
void close_on_exec_from(int first);

// Both ends of a pipe. Started programs inherit them only if they are passed explicitly
// (core/processes/process.h). Their numbers are above those that programs are given, so passing one end never
// closes the other.
struct Pipe {
  Descriptor read, write;

  // Throws Error(io) "WHAT: reason".
  explicit Pipe(const std::string& what) {
    constexpr int lowest_number = 10;
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(ErrorKind::io, what + ": " + std::strerror(errno));
    const Descriptor low_read(ends[0]), low_write(ends[1]);
    read.reset(::fcntl(ends[0], F_DUPFD_CLOEXEC, lowest_number));
    write.reset(::fcntl(ends[1], F_DUPFD_CLOEXEC, lowest_number));
    if (read.get() < 0 || write.get() < 0) throw Error(ErrorKind::io, what + ": " + std::strerror(errno));
  }
};

}  // namespace aqbench
