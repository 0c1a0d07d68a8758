#include "scenes/dataset/dtu_observed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "scenes/dataset/truth_entry.h"
#include "scenes/images/mat_file.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

const MatArray& array_of(const std::map<std::string, MatArray>& arrays, const char* name, std::size_t values,
                         const fs::path& file) {
  const auto found = arrays.find(name);
  if (found == arrays.end() || (values != 0 && found->second.values.size() != values))
    throw Error(ErrorKind::input,
                fmt::format("{}: expected the variable {}{}", file.string(), name,
                            values == 0 ? "" : fmt::format(" of {} values", values)),
                file.string());
  return found->second;
}

// From MATLAB's order, x fastest, to that of CropMask.
CropMask voxels_of(const MatArray& array, const fs::path& file) {
  if (array.shape.size() != 3)
    throw Error(ErrorKind::input, file.string() + ": ObsMask has not three dimensions", file.string());
  CropMask mask{file.string(), Vec3::Zero(), 0, {array.shape[0], array.shape[1], array.shape[2]}, {}};
  const auto [nx, ny, nz] = mask.size;
  std::vector<std::uint8_t> observed(array.values.size());
  for (std::size_t z = 0; z < nz; ++z)
    for (std::size_t y = 0; y < ny; ++y)
      for (std::size_t x = 0; x < nx; ++x)
        observed[(x * ny + y) * nz + z] = array.values[(z * ny + y) * nx + x] != 0 ? 1 : 0;
  mask.is_observed = std::make_shared<const std::vector<std::uint8_t>>(std::move(observed));
  return mask;
}

}  // namespace

ObservedVolume read_observed(const fs::path& mask, const fs::path& plane, double metres_per_unit) {
  const auto arrays = read_mat_file(mask);
  ObservedVolume volume{voxels_of(array_of(arrays, "ObsMask", 0, mask), mask), {}, {}};
  const std::vector<double>& box = array_of(arrays, "BB", 6, mask).values;  // two rows, x y z
  volume.voxels.spacing_m = metres_per_unit * array_of(arrays, "Res", 1, mask).values[0];
  if (!(volume.voxels.spacing_m > 0))
    throw Error(ErrorKind::input, mask.string() + ": Res must be positive", mask.string());
  volume.voxels.low_m = metres_per_unit * Vec3(box[0], box[2], box[4]);
  volume.high_m = metres_per_unit * Vec3(box[1], box[3], box[5]);
  if (plane.empty()) return volume;
  const std::vector<double> p = read_observed_plane(plane);
  volume.plane = Eigen::Vector4d(p[0], p[1], p[2], p[3] * metres_per_unit);
  return volume;
}

std::vector<double> read_observed_plane(const fs::path& file) {
  return array_of(read_mat_file(file), "P", 4, file).values;
}

std::optional<ObservedVolume> observed_of(const Recording& recording) {
  fs::path mask, plane;
  for (const fs::path& file : recording.truth.files) {
    if (file.extension() != ".mat") continue;
    (file.filename().string().starts_with("ObsMask") ? mask : plane) = file;
  }
  if (mask.empty()) return std::nullopt;
  return read_observed(mask, plane, metres_per_unit(recording.truth.unit).value_or(1));
}

}  // namespace aqbench
