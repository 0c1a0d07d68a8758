#include "scenes/dataset/eth3d_folder.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "core/error.h"
#include "core/text.h"
#include "scenes/cloud/scan_project.h"
#include "scenes/dataset/colmap_frames.h"
#include "scenes/dataset/colmap_rig.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelFolder = "dslr_calibration_undistorted";
constexpr const char* kScanProject = "dslr_scan_eval/scan_alignment.mlp";

// The scans before they were cut to what is evaluated, and what belongs to the distorted images.
constexpr const char* kUnreadTruth[] = {"ground_truth_depth", "occlusion", "occlusion_depth",
                                        "dslr_scan_clean"};

void take_scans(const fs::path& dir, LayoutTruth& truth) {
  const fs::path project = dir / kScanProject;
  std::error_code unknown;
  if (!fs::is_regular_file(project, unknown)) return;
  truth.surface = {project};
  truth.files = {project};
  for (const ProjectScan& scan : scans_of_project(project)) {
    if (!fs::is_regular_file(scan.file, unknown))
      throw Error(
          ErrorKind::input,
          fmt::format("{}: no such file (named by {})", printable(scan.file.string()), project.string()),
          scan.file.string());
    truth.files.push_back(scan.file);
  }
}

}  // namespace

bool is_eth3d_folder(const fs::path& dir) {
  return find_colmap_model(dir / kModelFolder) == dir / kModelFolder;
}

LayoutCameras read_eth3d_folder(const fs::path& dir) {
  ColmapModel model = read_colmap_model(dir / kModelFolder);
  check_colmap_frames(model);
  LayoutCameras read;
  read.files = model.files;
  read.cameras = colmap_cameras(model);
  for (std::size_t i = 0; i < model.images.size(); ++i)
    read.images.push_back(named_image(dir, model.images[i].name, read.cameras[i].name));
  take_scans(dir, read.truth);
  std::error_code unknown;
  for (const char* const folder : kUnreadTruth)
    if (fs::is_directory(dir / folder, unknown)) read.truth.unread.push_back(dir / folder);
  return read;
}

}  // namespace aqbench
