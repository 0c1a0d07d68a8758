#include "harness/measuring/libraries.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>

namespace aqbench {
namespace {

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

}  // namespace
}  // namespace aqbench
