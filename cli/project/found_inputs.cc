#include "cli/project/found_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>

#include "core/error.h"
#include "core/text.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kLevels = 3;
constexpr std::size_t kMaxInputs = 20;
constexpr std::size_t kFewestImages = 2;
constexpr std::array kImageEndings = {".jpg", ".jpeg", ".png", ".tif", ".tiff"};
constexpr std::array kCalibrations = {"calibration.json", "cameras.json", "calibration.yaml",
                                      "calibration.yml"};

bool holds(const fs::path& folder, const char* name) {
  std::error_code unknown;
  return fs::exists(folder / name, unknown);
}

bool is_image(const fs::path& file) {
  const std::string ending = lower_case(file.extension().string());
  return std::ranges::find(kImageEndings, ending) != kImageEndings.end();
}

bool holds_model(const fs::path& folder) {
  return (holds(folder, "cameras.bin") && holds(folder, "images.bin")) ||
         (holds(folder, "cameras.txt") && holds(folder, "images.txt"));
}

// Images in folders named after the cameras beside the calibration, as in AquaMVS.
bool has_folders_of_images(const fs::path& folder) {
  std::error_code unknown;
  for (fs::directory_iterator below(folder, unknown), end; !unknown && below != end;
       below.increment(unknown)) {
    std::error_code failed;
    if (!below->is_directory(failed) || below->is_symlink(failed)) continue;
    for (fs::directory_iterator entry(below->path(), failed), last; !failed && entry != last;
         entry.increment(failed))
      if (is_image(entry->path())) return true;
  }
  return false;
}

// Layouts that are known by their files alone; those of calibration files need images, too.
const char* kind_of_layout(RecordingLayout layout) {
  switch (layout) {
    case RecordingLayout::transforms:
      return "transforms.json of nerfstudio or instant-ngp";
    case RecordingLayout::eth3d:
      return "a scene of ETH3D";
    case RecordingLayout::mvsnet:
      return "cameras of MVSNet";
    case RecordingLayout::tanks:
      return "a scene of Tanks and Temples";
    case RecordingLayout::calibration:
    case RecordingLayout::cameras:
    case RecordingLayout::colmap:
    case RecordingLayout::images:
      break;
  }
  return "";
}

// Reads it as a sweep does, without decoding the images.
std::string content_of(const fs::path& folder) {
  try {
    const Recording recording = read_recording(folder);
    return content_text(recording, find_recording_truth(recording));
  } catch (const Error& error) {
    return fmt::format("not readable yet: {}", error.what());
  }
}

std::string kind_of(const fs::path& folder) {
  // COLMAP keeps the images beside the model: the parent of both is readable.
  const bool beside = holds(folder, "images") &&
                      std::ranges::any_of(std::array{"sparse/0", "sparse", "colmap"},
                                          [&](const char* below) { return holds_model(folder / below); });
  if (beside || holds_model(folder)) return "a COLMAP model";
  if (const auto layout = layout_of(folder))
    if (const char* const other = kind_of_layout(*layout); *other != '\0') return other;
  const bool calibrated =
      std::ranges::any_of(kCalibrations, [&](const char* name) { return holds(folder, name); });
  std::error_code unknown;
  if (calibrated && (fs::is_directory(folder / "images", unknown) || holds(folder, "images.csv") ||
                     has_folders_of_images(folder)))
    return "images and calibration";
  std::size_t images = 0;
  for (fs::directory_iterator entry(folder, unknown), end; !unknown && entry != end; entry.increment(unknown))
    images += is_image(entry->path());
  if (images < kFewestImages) return {};
  return calibrated ? "images and calibration" : kImagesAlone;
}

std::string name_of(const fs::path& folder, const fs::path& root) {
  std::string name = folder == root ? std::string("recording") : folder.filename().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '_');
  return name;
}

void search(const fs::path& folder, const fs::path& root, int levels, std::vector<FoundInput>& found) {
  if (found.size() >= kMaxInputs || holds(folder, "results.json")) return;
  if (const std::string kind = kind_of(folder); !kind.empty()) {
    std::string name = name_of(folder, root);
    for (int number = 2; std::ranges::find(found, name, &FoundInput::name) != found.end(); ++number)
      name = name_of(folder, root) + "-" + std::to_string(number);
    found.push_back({name, folder == root ? fs::path(".") : folder.lexically_relative(root), kind,
                     kind == kImagesAlone ? "for methods with \"poses\": \"own\" and \"intrinsics\": \"own\""
                                          : content_of(folder)});
    return;
  }
  if (levels == 0) return;
  std::vector<fs::path> below;
  std::error_code unknown;
  for (fs::directory_iterator entry(folder, unknown), end; !unknown && entry != end;
       entry.increment(unknown)) {
    std::error_code status;
    if (entry->is_directory(status) && !entry->is_symlink(status) &&
        !entry->path().filename().string().starts_with('.'))
      below.push_back(entry->path());
  }
  std::ranges::sort(below);
  for (const fs::path& one : below) search(one, root, levels - 1, found);
}

}  // namespace

std::vector<FoundInput> find_inputs(const fs::path& folder) {
  std::vector<FoundInput> found;
  search(folder, folder, kLevels, found);
  return found;
}

}  // namespace aqbench::cli
