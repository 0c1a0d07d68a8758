#pragma once
// Reads the projects of scans that ETH3D publishes as truth.

#include <Eigen/Core>
#include <filesystem>
#include <vector>

#include "scenes/cloud/cloud_file.h"

namespace aqbench {

// A scan of a project: its file, in the frame of its scanner, and the pose of that.
struct ProjectScan {
  std::filesystem::path file;
  Eigen::Matrix4d world_from_scanner = Eigen::Matrix4d::Identity();  // rigid; the file's unit
};

// Reads a MeshLab project (.mlp): each <MLMesh filename="..."> is a scan in the frame of its scanner, and its
// <MLMatrix44> is world_from_scanner, rows first. The scans themselves are not read. Throws Error(input)
// naming the file: a project without scans, a matrix without 16 numbers or whose upper part is no rotation
// within 1e-3.
std::vector<ProjectScan> scans_of_project(const std::filesystem::path& project);

// Reads the scans of a project, put into the world frame and multiplied by metres_per_unit; of another file
// its one scan, as read_scan() does. Throws Error(input) naming the file.
std::vector<Scan> read_scans(const std::filesystem::path& file, double metres_per_unit = 1);

}  // namespace aqbench
