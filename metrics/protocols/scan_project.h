#pragma once
// Reads the projects of scans that ETH3D publishes as truth.

#include <filesystem>
#include <vector>

#include "metrics/protocols/cloud_truth.h"

namespace aqbench {

// Reads a MeshLab project (.mlp): each <MLMesh filename="..."> is a scan in the frame of its scanner, and its
// <MLMatrix44> is world_from_scanner, rows first. Coordinates and shifts are multiplied by metres_per_unit.
// Throws Error(input) naming the file: a project without scans, a matrix without 16 numbers or whose upper
// part is no rotation within 1e-3, a scan that cannot be read.
std::vector<BeamScan> read_scan_project(const std::filesystem::path& path, double metres_per_unit = 1);

}  // namespace aqbench
