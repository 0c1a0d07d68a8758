#pragma once
// A pool of workers with large buffers that threads borrow: as many as work at the same time.

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace aqbench::plane_sweep {

// A thread-safe pool of workers made by `make`.
template <class Worker>
class WorkerPool {
 public:
  explicit WorkerPool(std::function<std::unique_ptr<Worker>()> make) : make_(std::move(make)) {}

  // Lends an idle worker or makes one.
  std::unique_ptr<Worker> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return make_();
    std::unique_ptr<Worker> worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }
  // Takes a worker back.
  void give_back(std::unique_ptr<Worker> worker) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }

 private:
  std::function<std::unique_ptr<Worker>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace aqbench::plane_sweep
