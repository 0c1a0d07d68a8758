#include <cstddef>
#include <new>

#include "cli/command.h"
#include "core/resources.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)  // AddressSanitizer has its own
void* operator new(std::size_t bytes) { return aqbench::allocate_in_large_pages(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return aqbench::allocate_in_large_pages(bytes, static_cast<std::size_t>(alignment));
}
#endif

int main(int argc, char** argv) {
  return aqbench::cli::run_command_line({argv + (argc > 0 ? 1 : 0), argv + argc});
}
