#pragma once
// Hashes of a dataset on disk.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace aqbench {

// Size and SHA-256 of one file.
struct FileContent {
  std::uintmax_t bytes = 0;
  std::string sha256;
};

// The files of a dataset by their names relative to it, "images/cam00/000000.png".
using DatasetContents = std::map<std::string, FileContent>;

// Reads and hashes the files of a dataset: calibration.json and the contents of images/, truth/ and colmap/,
// if they exist. Throws Error(io) naming an unreadable file.
DatasetContents read_contents(const std::filesystem::path& dataset_dir);

// Returns the SHA-256 of a whole dataset: of its lines "HASH  NAME\n" sorted by name, as sha256sum prints
// them.
std::string dataset_sha256(const DatasetContents& contents);

}  // namespace aqbench
