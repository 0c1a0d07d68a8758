#include "scenes/dataset/without_poses.h"

#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "scenes/cloud/colmap.h"

namespace aqbench {
namespace {

constexpr const char* kFile = "calibration.json";

// Copies the named members that an object has.
Json members_of(const Json& from, std::initializer_list<const char*> names) {
  Json to = Json::object();
  for (const char* const name : names)
    if (from.is_object() && from.contains(name)) to[name] = from[name];
  return to;
}

}  // namespace

void withhold_poses(const std::filesystem::path& observation_dir, bool keep_intrinsics) {
  const std::filesystem::path file = observation_dir / kFile;
  if (!keep_intrinsics) {
    std::error_code error;
    std::filesystem::remove(file, error);
    if (error) throw Error(ErrorKind::io, file.string() + ": " + error.message());
    return;
  }
  const Json whole = read_strict_json(file, kSmallFileJson);
  Json kept = members_of(whole, {"version"});
  kept["cameras"] = Json::object();
  for (const auto& [name, camera] : JsonPlace(whole, file.string()).at("cameras").members())
    kept["cameras"][name] = members_of(camera.value(), {"name", "intrinsics"});
  if (whole.contains("interface")) kept["interface"] = members_of(whole["interface"], {"n_air", "n_water"});
  write_file(file, kept.dump(1) + "\n");
}

std::vector<std::filesystem::path> pose_files_in(const std::filesystem::path& recording_dir) {
  std::vector<std::filesystem::path> files;
  for (const char* const name : {kFile, "cameras.json", "transforms.json", "transforms_train.json",
                                 "transforms_val.json", "transforms_test.json", "cams", "Cameras"})
    files.push_back(recording_dir / name);
  for (const char* const place : kColmapPlaces)
    for (const char* const name : {"images", "points3D", "frames"})
      for (const char* const ending : {".bin", ".txt"})
        files.push_back(recording_dir / place / (std::string(name) + ending));
  return files;
}

}  // namespace aqbench
