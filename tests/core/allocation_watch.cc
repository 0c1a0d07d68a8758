#include "tests/core/allocation_watch.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> largest{0};

void* watched_allocation_or_null(std::size_t size) noexcept {
  std::size_t seen = largest.load(std::memory_order_relaxed);
  while (size > seen && !largest.compare_exchange_weak(seen, size)) {
  }
  return std::malloc(size > 0 ? size : 1);
}

void* watched_allocation(std::size_t size) {
  if (void* const memory = watched_allocation_or_null(size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Replaces all unaligned forms, so that none is paired with another library's half.
void* operator new(std::size_t size) { return watched_allocation(size); }
void* operator new[](std::size_t size) { return watched_allocation(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return watched_allocation_or_null(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return watched_allocation_or_null(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace aqbench {

void reset_largest_allocation() { largest = 0; }
std::size_t largest_allocation() { return largest; }

}  // namespace aqbench
