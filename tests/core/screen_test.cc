#include "core/table.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace aqbench {
namespace {

TEST(Screen, CutsNothingInAFileOrAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_GE(screen_columns(ends[1]), 100'000U);
  ::close(ends[0]);
  ::close(ends[1]);
  const int file = ::open("/dev/null", O_WRONLY);
  EXPECT_GE(screen_columns(file), 100'000U);
  ::close(file);
}

}  // namespace
}  // namespace aqbench
