#include "scenes/dataset/dataset_digest.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/sha256.h"

namespace aqbench {

DatasetContents read_contents(const std::filesystem::path& dataset_dir) {
  namespace fs = std::filesystem;
  DatasetContents contents;
  const auto add = [&](const fs::path& file) {
    contents[file.lexically_relative(dataset_dir).generic_string()] = {fs::file_size(file),
                                                                       sha256_file_hex(file)};
  };
  std::error_code error;
  if (fs::is_regular_file(dataset_dir / "calibration.json", error)) add(dataset_dir / "calibration.json");
  for (const char* part : {"images", "truth", "colmap"}) {
    if (!fs::is_directory(dataset_dir / part, error)) continue;
    constexpr auto follow = fs::directory_options::follow_directory_symlink;
    fs::recursive_directory_iterator entry(dataset_dir / part, follow, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
      if (entry->is_regular_file(error)) add(entry->path());
    if (error) throw io_error("{}: {}", (dataset_dir / part).string(), error.message());
  }
  return contents;
}

std::string dataset_sha256(const DatasetContents& contents) {
  std::string lines;
  for (const auto& [name, content] : contents) lines += fmt::format("{}  {}\n", content.sha256, name);
  return sha256_hex(lines);
}

}  // namespace aqbench
