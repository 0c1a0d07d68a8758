#pragma once
// What DTU's scanner observed of a scan, which its protocol looks at.

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <vector>

#include "scenes/cloud/crop.h"
#include "scenes/dataset/recording.h"

namespace aqbench {

// The volume that was observed, and the plane of the table, above which truth points count.
struct ObservedVolume {
  CropMask voxels;                       // voxel 0 0 0 lies at the low corner of DTU's box BB
  Vec3 high_m = Vec3::Zero();            // its other corner
  std::optional<Eigen::Vector4d> plane;  // truth points x with plane . (x, 1) > 0 count; x in metres
};

// Reads ObsMaskN_10.mat (ObsMask, BB, Res), and the plane P of a file PlaneN.mat if there is one. Lengths are
// multiplied by metres_per_unit. Throws Error(input) naming the file and the variable.
ObservedVolume read_observed(const std::filesystem::path& mask, const std::filesystem::path& plane,
                             double metres_per_unit);

// Does so for the files that a recording of DTU brings along; nullopt for any other recording and without.
std::optional<ObservedVolume> observed_of(const Recording& recording);

// Returns the four values of P of PlaneN.mat, in the file's unit. Throws as read_observed() does.
std::vector<double> read_observed_plane(const std::filesystem::path& file);

}  // namespace aqbench
