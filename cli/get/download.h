#pragma once
// Fetches one file by the program curl: resumed, checked, never larger than asked.

#include <cstdint>
#include <filesystem>

#include "cli/get/public_sets.h"

namespace aqbench::cli {

// Limits of a download.
struct DownloadLimits {
  std::uintmax_t max_bytes = 0;  // of the file, where its size is not known
  int stall_s = 30;              // without 1 kB/s for so long an attempt ends
  int attempts = 5;              // in a row that bring nothing new
};

// Puts a file of the registry at `target`, fetching what is missing; what has come of it waits beside as
// `target`.part for the next call. Returns its SHA-256. A file that is there is checked alone. Prints
// progress on stderr. Throws Error(io), one line with the file's name, for a server that does not give it,
// and bytes that are not those of the registry, which are removed; Error(usage) where curl is missing.
std::string download(const PublicFile& file, const std::filesystem::path& target,
                     const DownloadLimits& limits);

}  // namespace aqbench::cli
