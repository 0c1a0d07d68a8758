#include "harness/measuring/samplers.h"

#include <dirent.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"

namespace aqbench {
namespace {

constexpr int kMaxFrames = 128;
constexpr std::size_t kArenaWords = std::size_t{1} << 23;  // 64 MiB, taken as it is used
constexpr int kMaxLabels = 250;
constexpr auto kNewThreadsEvery = std::chrono::milliseconds(10);

// Written by signal handlers: must not allocate or lock.
struct SampleArena {
  std::uint64_t* words = nullptr;  // per sample: weight << 32 | label << 16 | frames, then the addresses
  std::atomic<std::size_t> used{0};
  std::atomic<std::uint64_t> lost{0};
  std::atomic<bool> open{false};
  std::atomic<int> main_label{0};
};
SampleArena g_arena;
thread_local volatile int t_label = 0;  // of the thread's current stage; 0: none

std::uintptr_t interrupted_at(const void* context) {
  const auto* const machine = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(machine->uc_mcontext.pc);
#else
  static_cast<void>(machine);
  return 0;
#endif
}

void take_sample(int, siginfo_t* info, void* context) {
  if (!g_arena.open.load(std::memory_order_relaxed)) return;
  const int saved_errno = errno;
  std::array<void*, kMaxFrames> frames;
  const int count = std::max(0, ::backtrace(frames.data(), kMaxFrames));
  // The handler's own frames come first; the interrupted function is known.
  void* const here = reinterpret_cast<void*>(interrupted_at(context));
  void** const end = frames.data() + count;
  void** first = std::find(frames.data(), end, here);
  if (first == end) first = frames.data() + std::min(count, 2);
  const auto kept = static_cast<std::size_t>(end - first);
  const std::size_t place = g_arena.used.fetch_add(kept + 1);
  if (place + kept + 1 <= kArenaWords) {
    const int label = t_label != 0 ? t_label : g_arena.main_label.load(std::memory_order_relaxed);
    const auto weight = static_cast<std::uint64_t>(1 + std::max(0, info->si_overrun));
    for (std::size_t i = 0; i < kept; ++i)
      g_arena.words[place + 1 + i] = reinterpret_cast<std::uintptr_t>(first[i]);
    g_arena.words[place] = weight << 32 | static_cast<std::uint64_t>(label) << 16 | kept;
  } else {
    g_arena.used.store(kArenaWords);
    g_arena.lost.fetch_add(1);
  }
  errno = saved_errno;
}

// Returns the CPU clock of another thread of this process, in the kernel's numbering.
clockid_t cpu_clock_of(pid_t thread) {
  return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | 6U);
}

pid_t this_thread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

// A timer for each thread.
class ThreadTimers {
 public:
  void start(double samples_per_s) {
    const std::lock_guard lock(mutex_);
    period_ns_ = static_cast<long>(1e9 / samples_per_s);
    running_ = true;
  }
  void add(pid_t thread) {
    const std::lock_guard lock(mutex_);
    if (!running_ || timers_.contains(thread) || excluded_ == thread) return;
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = thread;
    timer_t timer{};
    if (::timer_create(cpu_clock_of(thread), &event, &timer) != 0) return;  // it has just ended
    const timespec period{period_ns_ / 1'000'000'000, period_ns_ % 1'000'000'000};
    const itimerspec interval{period, period};
    ::timer_settime(timer, 0, &interval, nullptr);
    timers_.emplace(thread, timer);
  }
  void remove(pid_t thread) {
    const std::lock_guard lock(mutex_);
    remove_locked(thread);
  }
  // Starts timers for new threads and removes those of ended ones.
  void update() {
    std::set<pid_t> threads;
    DIR* const folder = ::opendir("/proc/self/task");
    if (folder == nullptr) return;
    while (const dirent* const entry = ::readdir(folder))
      if (const pid_t thread = std::atoi(entry->d_name); thread > 0) threads.insert(thread);
    ::closedir(folder);
    for (const pid_t thread : threads) add(thread);
    const std::lock_guard lock(mutex_);
    for (auto timer = timers_.begin(); timer != timers_.end();)
      if (const pid_t thread = (timer++)->first; !threads.contains(thread)) remove_locked(thread);
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    running_ = false;
    for (const auto& [thread, timer] : timers_) ::timer_delete(timer);
    timers_.clear();
  }
  void exclude(pid_t thread) {
    const std::lock_guard lock(mutex_);
    excluded_ = thread;
  }

 private:
  void remove_locked(pid_t thread) {
    const auto found = timers_.find(thread);
    if (found == timers_.end()) return;
    ::timer_delete(found->second);
    timers_.erase(found);
  }

  std::mutex mutex_;
  bool running_ = false;
  long period_ns_ = 0;
  pid_t excluded_ = 0;
  std::map<pid_t, timer_t> timers_;
};

ThreadTimers& thread_timers() {
  static auto* const timers = new ThreadTimers;  // outlives every thread
  return *timers;
}

// Called in parallel_for threads, which often end before the next search for new threads.
void sample_worker() {
  struct Timed {
    Timed() { thread_timers().add(this_thread()); }
    ~Timed() { thread_timers().remove(this_thread()); }
  };
  thread_local const Timed timed;
}

}  // namespace

struct CpuSampler::State {
  std::mutex mutex;
  std::condition_variable stopping;
  bool stop = false;
  std::vector<std::string> labels{""};  // 0: no stage
  std::thread::id main_thread = std::this_thread::get_id();
  std::thread scanner;

  int label_of(const char* stage) {
    const std::lock_guard lock(mutex);
    const auto known = std::ranges::find(labels, std::string_view(stage));
    if (known != labels.end()) return static_cast<int>(known - labels.begin());
    if (labels.size() >= kMaxLabels) return 0;
    labels.emplace_back(stage);
    return static_cast<int>(labels.size() - 1);
  }
  void look_for_threads() {
    thread_timers().exclude(this_thread());
    std::unique_lock lock(mutex);
    while (!stop) {
      lock.unlock();
      thread_timers().update();
      lock.lock();
      stopping.wait_for(lock, kNewThreadsEvery, [&] { return stop; });
    }
  }
  void set_label(int label) const {
    t_label = label;
    if (std::this_thread::get_id() == main_thread) g_arena.main_label.store(label);
  }
  void end() {
    if (!scanner.joinable()) return;
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    stopping.notify_all();
    scanner.join();
    set_worker_start_hook(nullptr);
    thread_timers().stop();
    g_arena.open.store(false);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // waits for running handlers
    // A signal may still be pending: the default action would end the process.
    struct sigaction nothing {};
    nothing.sa_handler = SIG_IGN;
    ::sigaction(SIGPROF, &nothing, nullptr);
  }
};

namespace {
thread_local std::vector<int> t_outer_labels;

// Returns "stage depth_estimation;outer;inner;hot" from addresses, innermost first.
std::string stack_text(const std::string& label, const std::uint64_t* addresses, std::size_t count,
                       const std::string& root, Symbols& symbols) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < count; ++i) {
    // A return address may already belong to the next function.
    names.push_back(symbols.find(addresses[i] - (i == 0 ? 0 : 1)));
    if (!root.empty() && names.back().find(root) != std::string_view::npos) {
      names.pop_back();
      break;
    }
  }
  std::string text = label.empty() ? std::string("(no stage)") : std::string(kStagePrefix) + label;
  for (std::size_t i = names.size(); i-- > 0;) (text += ';') += names[i];
  return text;
}
}  // namespace

CpuSampler::CpuSampler(double samples_per_s) : state_(std::make_unique<State>()) {
  if (g_arena.words == nullptr) {
    void* const memory = ::mmap(nullptr, kArenaWords * sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      throw Error(ErrorKind::io, std::string("memory for samples: ") + std::strerror(errno));
    g_arena.words = static_cast<std::uint64_t*>(memory);
  }
  std::array<void*, 4> frames;
  ::backtrace(frames.data(), 4);  // the first call loads the unwinder, which a handler must not do
  g_arena.used = 0;
  g_arena.lost = 0;
  g_arena.main_label = 0;
  g_arena.open = true;
  struct sigaction action {};
  action.sa_sigaction = &take_sample;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGPROF, &action, nullptr);
  thread_timers().start(samples_per_s);
  set_worker_start_hook(&sample_worker);
  state_->scanner = std::thread([state = state_.get()] { state->look_for_threads(); });
  thread_timers().add(this_thread());
}

CpuSampler::~CpuSampler() { state_->end(); }

void CpuSampler::enter(const char* stage) {
  const int outer = t_label;
  t_outer_labels.push_back(outer);
  state_->set_label(state_->label_of(stage));
}

void CpuSampler::leave(const char*) noexcept {
  state_->set_label(t_outer_labels.empty() ? 0 : t_outer_labels.back());
  if (!t_outer_labels.empty()) t_outer_labels.pop_back();
}

CpuSamples CpuSampler::finish(const std::string& root) {
  state_->end();
  CpuSamples samples;
  samples.lost = g_arena.lost;
  Symbols symbols;
  const std::size_t used = std::min(g_arena.used.load(), kArenaWords);
  for (std::size_t place = 0; place < used;) {
    const std::uint64_t head = g_arena.words[place];
    const std::size_t count = head & 0xFFFFU;
    if (head == 0 || place + 1 + count > used) break;  // there was no room for the last one
    const std::string& label = state_->labels[(head >> 16) & 0xFFFFU];
    samples.stacks[stack_text(label, g_arena.words + place + 1, count, root, symbols)] += head >> 32;
    place += 1 + count;
  }
  std::memset(g_arena.words, 0, used * sizeof(std::uint64_t));
  return samples;
}

}  // namespace aqbench
