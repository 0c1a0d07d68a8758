#pragma once
// Random draws as numpy's default_rng() makes them: PCG64 (O'Neill 2014) seeded by SeedSequence.

#include <cstdint>
#include <vector>

namespace aqbench {

__extension__ typedef unsigned __int128 Uint128;  // NOLINT: no other form is standard C++

class NumpyDraws {
 public:
  explicit NumpyDraws(std::uint32_t seed);

  // Returns `count` different numbers below `size`: Generator.choice(size, count, replace=False), at most
  // 10 000 of them.
  std::vector<std::uint64_t> choice(std::uint64_t size, std::uint64_t count);

 private:
  std::uint64_t next64();
  std::uint32_t next32();
  std::uint64_t below(std::uint64_t last);  // 0 to `last`

  Uint128 state_ = 0, increment_ = 0;
  bool has_half_ = false;
  std::uint32_t half_ = 0;
};

}  // namespace aqbench
