#include "core/resources.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/descriptor.h"
#include "core/stopwatch.h"

namespace aqbench {
namespace {

TEST(Resources, SeesTheMemoryOfThisProcess) {
  const std::uint64_t before = resident_bytes(::getpid());
  EXPECT_GT(before, 0u);
  const std::vector<char> held(64 << 20, 'x');
  EXPECT_EQ(held.back(), 'x');
  EXPECT_GE(resident_bytes(::getpid()), before + (48 << 20));
  EXPECT_GE(resident_tree_bytes(::getpid()), resident_bytes(::getpid()) / 2);
  EXPECT_GE(resident_peak_bytes(), std::int64_t{48} << 20);
  EXPECT_EQ(resident_bytes(-1), 0u);
}

// The list of groups makes /proc/PID/status long, and memory stands after it.
TEST(Resources, SeesTheMemoryOfAProcessInManyGroups) {
  Pipe ready("pipe of a test");
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<gid_t> groups(1000);
    std::iota(groups.begin(), groups.end(), gid_t{1'000'000});
    const char could = ::setgroups(groups.size(), groups.data()) == 0 ? 'y' : 'n';
    [[maybe_unused]] const ssize_t written = ::write(ready.write.get(), &could, 1);
    for (;;) ::pause();
  }
  char could = 0;
  EXPECT_EQ(::read(ready.read.get(), &could, 1), 1);
  const TreeMemory memory = descendants_memory(::getpid());
  const std::uint64_t tree = resident_tree_bytes(child);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  if (could != 'y') GTEST_SKIP() << "only the administrator may join groups";
  EXPECT_GT(memory.largest_peak_bytes, 0u);
  EXPECT_GT(memory.resident_bytes, 0u);
  EXPECT_GT(tree, 0u);
}

TEST(Resources, LimitsAreAboveZeroWhereThereAreAny) {
  EXPECT_GT(cgroup_quota_processors().value_or(1), 0);
  EXPECT_GT(cgroup_memory_limit_bytes().value_or(1), 0u);
}

std::uint64_t large_page_kb() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string word; rollup >> word;)
    if (std::uint64_t kb = 0; word == "AnonHugePages:" && rollup >> kb) return kb;
  return 0;
}

TEST(Resources, MemoryIsHeldInLargePages) {
  std::vector<std::vector<char>> held;
  for (int i = 0; i < 4096; ++i) held.emplace_back(8192, static_cast<char>(i));  // 32 MB in small pieces
  const std::uint64_t before_kb = large_page_kb();
  hold_in_large_pages();
  if (large_page_kb() == before_kb) GTEST_SKIP() << "this kernel has no large pages for it";
  EXPECT_GE(large_page_kb(), before_kb + (16 << 10));
  for (int i = 0; i < 4096; ++i)
    ASSERT_EQ(held[static_cast<std::size_t>(i)], std::vector<char>(8192, static_cast<char>(i)));
}

TEST(Stopwatch, CountsInTheUnitOfItsName) {
  const auto start = SteadyClock::now() - std::chrono::seconds(2);
  EXPECT_NEAR(seconds_since(start), 2, 0.5);
  EXPECT_NEAR(ms_since(start), 2000, 500);
}

TEST(RunClock, SeparatesRealTimeFromProcessorTime) {
  const RunClock clock;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const RunTimes times = clock.elapsed();
  EXPECT_GE(times.real_s, 0.03);
  EXPECT_GE(times.user_s, 0);
  EXPECT_LT(times.user_s, times.real_s + 1);
  EXPECT_EQ(times_block({1.2344, 0.9, 0.11}), "real 1.234 s\nuser 0.900 s\nsys 0.110 s\n");
}

constexpr std::size_t kBlockBytes = 64U << 20, kPageBytes = 4096;

// Pages that the kernel had to bring while a fresh block was written and freed.
long faults_of_a_block() {
  ::rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  {
    std::vector<char> block(kBlockBytes);
    asm volatile("" : : "r"(block.data()) : "memory");
  }
  ::getrusage(RUSAGE_SELF, &after);
  return after.ru_minflt - before.ru_minflt;
}

TEST(WarmHeap, TakesFreedMemoryAgainWithoutTheKernel) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer has its own allocator";
#endif
  // In a process of its own: what other tests left in this one's heap would decide.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto pages = static_cast<long>(kBlockBytes / kPageBytes);
  // In a child, as it cannot be undone. Huge pages may make the first faults few, never the second ones many.
  EXPECT_EXIT(
      {
        keep_freed_memory();
        faults_of_a_block();
        std::_Exit(faults_of_a_block() < pages / 100 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        faults_of_a_block();
        std::_Exit(faults_of_a_block() > pages / 1024 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "")
      << "this system's allocator keeps freed memory by itself";
}

// Returns what the kernel says of the mapping that holds an address: flags of two letters.
std::string flags_at(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2) found = begin <= wanted && wanted < end;
    if (found && line.starts_with("VmFlags:")) return line + " ";
  }
  return {};
}

TEST(LargePages, HoldLargeBlocks) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").is_open())
    GTEST_SKIP() << "this kernel has no large pages";
  void* const block = allocate_in_large_pages(kBlockBytes);
  const std::string flags = flags_at(static_cast<char*>(block) + kBlockBytes / 2);
  std::free(block);
  EXPECT_NE(flags.find(" hg "), std::string::npos) << flags;
}

TEST(LargePages, AllocateAsOperatorNewDoes) {
  for (const std::size_t alignment : {std::size_t{1}, std::size_t{64}, std::size_t{4096}})
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{5} << 20}) {
      void *const one = allocate_in_large_pages(bytes, alignment), *const other = allocate_in_large_pages(
                                                                       bytes, alignment);
      EXPECT_NE(one, other);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one) % alignment, 0U);
      std::memset(one, 1, bytes);
      std::free(one);
      std::free(other);
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they end the program
  EXPECT_THROW(allocate_in_large_pages(SIZE_MAX - 5), std::bad_alloc);
  EXPECT_THROW(allocate_in_large_pages(SIZE_MAX - 5, 64), std::bad_alloc);
#endif
}

}  // namespace
}  // namespace aqbench
