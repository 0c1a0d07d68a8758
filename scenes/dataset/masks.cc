#include "scenes/dataset/masks.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "scenes/images/image_file.h"
#include "scenes/images/images.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using FilesOfFrames = std::vector<std::vector<fs::path>>;

fs::path mask_of_image(const fs::path& dir, const fs::path& image) {
  fs::path name = image.lexically_relative(dir);
  for (const char* const folder : {"images", "blended_images"})
    if (*name.begin() == folder) name = name.lexically_relative(folder);
  std::error_code unknown;
  for (const fs::path& mask : {fs::path(name.string() + ".png"), fs::path(name).replace_extension(".png")})
    if (fs::is_regular_file(dir / "masks" / mask, unknown)) return dir / "masks" / mask;
  return {};
}

}  // namespace

void find_masks(const fs::path& dir, const FilesOfFrames& images, FilesOfFrames& masks) {
  bool any = false;
  masks.resize(images.size());
  for (std::size_t frame = 0; frame < images.size(); ++frame) {
    masks[frame].resize(images[frame].size());
    for (std::size_t i = 0; i < images[frame].size(); ++i) {
      if (masks[frame][i].empty()) masks[frame][i] = mask_of_image(dir, images[frame][i]);
      any = any || !masks[frame][i].empty();
    }
  }
  if (any) return;
  masks.clear();
  std::error_code unknown;
  if (fs::is_directory(dir / "masks", unknown))
    throw Error(ErrorKind::input,
                fmt::format("{}: no mask is named after an image: IMAGE.png, such as {}.png; rename the "
                            "masks, or the folder if it holds something else",
                            (dir / "masks").string(), images.at(0).at(0).filename().string()),
                (dir / "masks").string());
}

void check_mask(std::string_view bytes, const Intrinsics& intrinsics, const std::string& file) {
  const ImageInfo info = inspect_image(bytes, file);
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::input, fmt::format("{}: {}", file, why), file);
  };
  if (info.format != ImageFormat::png) refuse("a mask must be a PNG image");
  if (info.width_px != intrinsics.width_px || info.height_px != intrinsics.height_px)
    refuse(fmt::format("is {} x {} px, but its image has {} x {}", info.width_px, info.height_px,
                       intrinsics.width_px, intrinsics.height_px));
}

PixelMask read_mask(const fs::path& file, const Intrinsics& intrinsics) {
  const std::string bytes = read_file(file);
  check_mask(bytes, intrinsics, file.string());
  const GreyImage grey = decode_grey(bytes, intrinsics.width_px, intrinsics.height_px, file.string());
  PixelMask mask{grey.width, grey.height, std::vector<bool>(grey.values.size())};
  for (std::size_t i = 0; i < grey.values.size(); ++i) mask.counts[i] = grey.values[i] > 0;
  return mask;
}

}  // namespace aqbench
