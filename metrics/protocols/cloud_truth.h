#pragma once
// What protocols for clouds compare with: points of the truth, what is known of how they were measured, and
// how both are made of scans and meshes.

#include <Eigen/Core>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "metrics/protocols/mask_cull.h"
#include "metrics/scored_points.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/crop.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// A laser scan: points in the frame of its scanner, which stands at that frame's origin, +Z up.
struct BeamScan {
  std::vector<Vec3> points_m;
  Eigen::Matrix4d world_from_scanner = Eigen::Matrix4d::Identity();  // rigid
};

// A volume of voxels that says where the truth was observed (DTU's ObsMask), and the box around it.
struct ObservationMask {
  CropMask voxels;             // voxel 0 0 0 lies at the low corner of the box (DTU's BB)
  Vec3 high_m = Vec3::Zero();  // the box's other corner
};

// The truth of a cloud protocol. What a protocol asks for and does not find here makes its numbers undefined.
struct CloudTruth {
  PointCloud cloud;                  // world frame; empty where `scans` hold the points
  std::vector<BeamScan> scans = {};  // with known scanner positions
  const Surface* surface = nullptr;  // the true surface, where there is one
  // By the rule `surface` these are the truth's points, as `aqbench eval` has them; empty: those above.
  std::vector<Vec3> surface_samples_m = {};
  ScoredPart surface_part = {};  // what of the cloud is held against the surface; the crop is `crop`
  std::function<bool(const Vec3&)> crop = {};  // whether a point lies in the scored volume; empty: all do
  // Whether cameras see each position: one of them, in its image and mask and not behind the truth by more
  // than rules.behind_m; or all of them (in_all_masks()). Empty: no cameras are known.
  std::function<std::vector<bool>(std::span<const Vec3> positions_m, const CullRules& rules)> seen = {};
  bool hides = true;  // rays can meet the truth, as it takes to ask one camera
  std::optional<ObservationMask> mask = {};
  std::optional<Eigen::Vector4d> plane = {};  // truth points x with plane . (x, 1) > 0 are scored
};

// Reads a MeshLab project (.mlp): each <MLMesh filename="..."> is a scan in the frame of its scanner, and its
// <MLMatrix44> is world_from_scanner, rows first. Coordinates and shifts are multiplied by metres_per_unit.
// Throws Error(input) naming the file: a project without scans, a matrix without 16 numbers or whose upper
// part is no rotation within 1e-3, a scan that cannot be read.
std::vector<BeamScan> read_scan_project(const std::filesystem::path& path, double metres_per_unit = 1);

// Takes the scans of a truth: as beams where all scanners are known, else as one cloud. Points of beams that
// have normals also go into `scanned`, if that is given.
void add_scans(std::vector<Scan> scans, CloudTruth& truth, PointCloud* scanned = nullptr);

// Returns points of a mesh as true surface, by area, one for each square of that side, and at least
// kFewestSamples. Throws Error(usage) where that are more than 100 million.
std::vector<Vec3> mesh_samples_m(const Surface& mesh, double spacing_m);

// The shape of a laser beam: a cone.
struct Beam {
  double radius_m = 0.001125;  // at the scanner
  double halfangle_deg = 0.011;
};

// What the beams of all scans say of each point.
struct BeamFindings {
  // Distance to the nearest scan point whose beam the point lies in; infinite if it lies in none.
  std::vector<double> distance_m;
  // Whether it lies in a beam, nearer to the scanner than what the beam hit: then it is wrong at every
  // tolerance below distance_m. A point that lies in no beam, or only behind what beams hit, is unobserved.
  std::vector<bool> seen_through;
};

// Classifies points (world frame, finite) by every beam of every scan: the accuracy of ETH3D (Schoeps et al.,
// "A multi-view stereo benchmark with high-resolution images and multi-camera videos", CVPR 2017;
// github.com/ETH3D/multi-view-evaluation, src/accuracy.cc). With `single` all is computed in 32 bits, as the
// reference program does. Scan points at the scanner itself have no beam. Uses parallel_for.
BeamFindings compare_with_beams(std::span<const Vec3> points_m, std::span<const BeamScan> scans,
                                const Beam& beam, bool single);

}  // namespace aqbench
