#pragma once
// Sixteen neighbouring depths of one pixel, the vector type of the fused kernel. GCC and Clang compile its
// operations for the instruction set at hand; use it only in AQBENCH_MULTIVERSION functions and
// AQBENCH_INLINE helpers.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "core/multiversion.h"

namespace aqbench::plane_sweep {

// Depths computed together.
inline constexpr int kLanes = 16;

// One number for each of the depths.
typedef float Lanes __attribute__((vector_size(4 * kLanes), aligned(4 * kLanes)));
// Likewise signed integers; a comparison of Lanes gives -1 for true, 0 for false.
typedef std::int32_t IntLanes __attribute__((vector_size(4 * kLanes), aligned(4 * kLanes)));
// Likewise unsigned integers.
typedef std::uint32_t UintLanes __attribute__((vector_size(4 * kLanes), aligned(4 * kLanes)));

// Returns the same value in every lane.
AQBENCH_INLINE Lanes broadcast(float value) { return Lanes{} + value; }

// Reads sixteen neighbouring floats at any address.
AQBENCH_INLINE Lanes load_lanes(const float* from) {
  Lanes value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
// Writes sixteen neighbouring floats at any address.
AQBENCH_INLINE void store_lanes(float* to, Lanes value) { std::memcpy(to, &value, sizeof value); }

// Returns the larger value of each lane.
AQBENCH_INLINE Lanes at_least(Lanes a, Lanes b) { return a > b ? a : b; }
// Returns the smaller value of each lane.
AQBENCH_INLINE Lanes at_most(Lanes a, Lanes b) { return a < b ? a : b; }

// Returns 1 / sqrt(x) for x > 0 to a relative 5e-6: the bit trick and two Newton steps, a third of the cost
// of a square root and a division.
AQBENCH_INLINE Lanes inverse_sqrt(Lanes x) {
  const IntLanes bits = 0x5f3759df - ((IntLanes)x >> 1);
  Lanes y = (Lanes)bits;
  const Lanes half = x * 0.5F;
  y = y * (1.5F - half * y * y);
  return y * (1.5F - half * y * y);
}

// Aligned, uninitialised memory for `size()` Lanes. Never shrinks.
class LaneBuffer {
 public:
  LaneBuffer() = default;
  ~LaneBuffer() { ::operator delete (data_, std::align_val_t{alignof(Lanes)}); }
  LaneBuffer(const LaneBuffer&) = delete;
  LaneBuffer& operator=(const LaneBuffer&) = delete;

  void reserve(std::size_t size) {
    if (size <= size_) return;
    ::operator delete (std::exchange(data_, nullptr), std::align_val_t{alignof(Lanes)});
    size_ = 0;
    data_ = static_cast<Lanes*>(::operator new (size * sizeof(Lanes), std::align_val_t{alignof(Lanes)}));
    size_ = size;
  }
  std::size_t size() const { return size_; }
  Lanes* data() { return data_; }
  const Lanes* data() const { return data_; }

 private:
  Lanes* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace aqbench::plane_sweep
