#pragma once
// What an error of LibTorch says.

#include <c10/util/Exception.h>

#include <exception>
#include <string>

#include "core/text.h"

namespace aqbench {

// Returns the cause of an error: LibTorch's messages end with it, after the locations. Drops the C++
// backtrace.
inline std::string torch_message(const std::exception& error) {
  std::string text = error.what();
  if (const auto* const c10_error = dynamic_cast<const c10::Error*>(&error))
    text = c10_error->what_without_backtrace();
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return escape_bytes(text.substr(text.rfind('\n') + 1));
}

}  // namespace aqbench
