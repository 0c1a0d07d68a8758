#pragma once
// Clouds that are read in blocks, for comparison with those that are read whole.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "scenes/cloud/cloud_blocks.h"

namespace aqbench {

// Returns whether two lists of points are the same, bit for bit.
inline bool equal_bits(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec3)) == 0);
}

// Reads a cloud in blocks of `longest` points and returns it in one piece.
inline PointCloud joined(const CloudBlocks& blocks, std::size_t longest) {
  PointCloud cloud;
  blocks.read(longest, [&](const CloudBlock& block) {
    EXPECT_EQ(block.first, cloud.points_m.size());
    EXPECT_LE(block.points_m.size(), longest);
    cloud.points_m.insert(cloud.points_m.end(), block.points_m.begin(), block.points_m.end());
    cloud.normals.insert(cloud.normals.end(), block.normals.begin(), block.normals.end());
  });
  return cloud;
}

}  // namespace aqbench
