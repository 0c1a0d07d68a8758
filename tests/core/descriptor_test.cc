#include "core/descriptor.h"

#include <gtest/gtest.h>

#include "core/processes/isolate.h"

namespace aqbench {
namespace {

bool is_open(int descriptor) { return ::fcntl(descriptor, F_GETFD) >= 0; }

TEST(Descriptor, ClosesOnceAndOnlyWhatItHolds) {
  int number = -1;
  {
    Descriptor first(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = first.get();
    Descriptor second(std::move(first));
    EXPECT_EQ(second.get(), number);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
  Descriptor released(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  number = released.release();
  released.reset();
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

TEST(Pipe, IsNotInheritedAndHasANumberAboveThoseOfPrograms) {
  const Pipe pipe("a pipe");
  EXPECT_GE(pipe.read.get(), 10);
  EXPECT_GE(pipe.write.get(), 10);
  EXPECT_EQ(::fcntl(pipe.read.get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(::fcntl(pipe.write.get(), F_GETFD), FD_CLOEXEC);
  ASSERT_EQ(::write(pipe.write.get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(::read(pipe.read.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
}

TEST(Descriptors, AllButTheKeptOnesAreClosed) {
  const Descriptor kept(::open("/dev/null", O_RDONLY)), other(::open("/dev/null", O_RDONLY));
  IsolateOptions options;
  options.timeout_s = 30;
  const auto look = [&] {
    return std::string(is_open(kept.get()) ? "kept " : "") + (is_open(other.get()) ? "other " : "") +
           (is_open(STDERR_FILENO) ? "stderr" : "");
  };
  EXPECT_EQ(run_isolated(look, options).result, "kept other stderr");
  options.descriptors = {kept.get()};
  EXPECT_EQ(run_isolated(look, options).result, "kept stderr");
}

TEST(Descriptors, AStartedProgramInheritsNone) {
  const IsolateOutcome outcome = run_isolated(
      [] {
        const Descriptor held(::open("/dev/zero", O_RDONLY));  // without O_CLOEXEC
        const int before = ::fcntl(held.get(), F_GETFD);
        close_on_exec_from(STDERR_FILENO + 1);
        return std::to_string(before) + std::to_string(::fcntl(held.get(), F_GETFD)) +
               std::to_string(::fcntl(STDERR_FILENO, F_GETFD));
      },
      {.timeout_s = 30});
  EXPECT_EQ(outcome.result, "010");
}

}  // namespace
}  // namespace aqbench
