#pragma once
// Reads the frames of a sequence from disk on demand or ahead of time on other threads.

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/stopwatch.h"
#include "pipeline/workloads/equirect.h"
#include "pipeline/workloads/step_ledger.h"

namespace aqbench {

// The ways to read frames: how far ahead, and on how many threads.
enum class Loading {
  serial,       // reads and decodes on demand
  thread_pool,  // all threads, as far ahead as there are frames
  ring,         // one thread, a bounded ring whose depth grows from 4 to 8 while it runs empty
  prefetch,     // all threads, as far ahead as the measured pace requires
};

// A frame that several batches may share.
using FramePointer = std::shared_ptr<const ColourImage>;

// Reads and decodes one file, as steps of the ledger. Throws Error(input) naming it.
FramePointer read_frame(const std::filesystem::path& file, StepLedger& ledger);

// Returns the frames in order. The loading mode changes when a frame is read, never its content.
class FrameLoader {
 public:
  FrameLoader(std::vector<std::filesystem::path> files, Loading loading, int threads, StepLedger& ledger);
  ~FrameLoader();  // joins its threads
  FrameLoader(const FrameLoader&) = delete;
  FrameLoader& operator=(const FrameLoader&) = delete;

  FramePointer next();  // throws errors of reading; nullptr after the last

  std::size_t deepest() const { return deepest_; }  // largest number of frames allowed ahead

 private:
  void work();
  std::size_t window() const;  // number of frames beyond those taken that may be started
  void note_wait(bool empty);

  const std::vector<std::filesystem::path> files_;
  const Loading loading_;
  StepLedger& ledger_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, FramePointer> ready_;
  std::exception_ptr failure_;
  const std::size_t worker_count_;  // workers_ itself still grows while the first of them run
  std::size_t begun_ = 0, taken_ = 0, ring_depth_ = 4, deepest_ = 0;
  bool stopped_ = false;
  double produce_s_ = 0, consume_s_ = 0;  // sums, for the pace
  std::size_t produced_ = 0;
  SteadyClock::time_point last_taken_;
  std::vector<std::thread> workers_;
};

}  // namespace aqbench
