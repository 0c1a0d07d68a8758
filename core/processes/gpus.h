#pragma once
// What nvidia-smi says: the GPUs of this machine, and the GPU memory of processes. Only NVIDIA's program and
// driver are asked.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/descriptor.h"
#include "core/stopwatch.h"

namespace aqbench {

// Returns the GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them: those of that variable if
// it is set, else those that nvidia-smi lists; none without it.
std::vector<std::string> visible_gpus();

// Returns the sum over lines "PROCESS, MIB" of these processes in bytes; nullopt if none of them is named
// with a number.
std::optional<std::uint64_t> gpu_bytes_of(std::string_view answer, const std::set<pid_t>& processes);

// The GPU memory of the descendants of this process, as nvidia-smi samples it: about once a second, or less
// often to stay below a quarter of the time. What is shorter is not seen. It cannot be seen from a container
// with process numbers of its own.
class GpuMemoryWatch {
 public:
  GpuMemoryWatch();
  ~GpuMemoryWatch();
  GpuMemoryWatch(const GpuMemoryWatch&) = delete;
  GpuMemoryWatch& operator=(const GpuMemoryWatch&) = delete;

  // Takes the answer to the last question, and asks again when it is time. Does not wait. Call it several
  // times a second.
  void look();

  // Returns the most memory of all descendants together; nullopt: unknown, for this reason.
  std::optional<std::uint64_t> peak_bytes() const { return peak_bytes_; }
  std::string reason() const;

 private:
  void ask();
  void take_answer();

  std::string program_;          // its path; empty: there is none
  std::set<pid_t> descendants_;  // that were seen
  pid_t asked_ = 0;              // a running nvidia-smi
  Descriptor answer_;            // the end of its pipe
  std::string text_;             // of the answer so far
  SteadyClock::time_point asked_at_ = {}, next_ = {};
  std::size_t answers_ = 0, failures_ = 0;
  std::optional<std::uint64_t> peak_bytes_;
};

}  // namespace aqbench
