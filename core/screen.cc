#include "core/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/table.h"
#include "core/text.h"

namespace aqbench {

std::size_t screen_columns(int descriptor) {
  constexpr std::size_t kLeast = 40, kEndless = 1'000'000;
  if (::isatty(descriptor) == 0) return kEndless;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<std::size_t>(kLeast, size.ws_col);
  const char* const columns = std::getenv("COLUMNS");
  const auto given = columns == nullptr ? std::nullopt : parse_double(columns);
  return given && *given >= kLeast && *given < kEndless ? static_cast<std::size_t>(*given) : kScreenColumns;
}

}  // namespace aqbench
