#include "core/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

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

TEST(Pipe, ReachesNoProgramAndStandsAboveTheNumbersThatOneIsGiven) {
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

}  // namespace
}  // namespace aqbench
