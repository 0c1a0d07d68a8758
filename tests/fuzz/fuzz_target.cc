#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <system_error>

#include "core/error.h"

namespace aqbench::fuzz {

std::vector<Target> all_targets() {
  std::vector<Target> targets = file_targets();
  for (const std::vector<Target>& more : {guest_targets(), bundle_targets()})
    targets.insert(targets.end(), more.begin(), more.end());
  return targets;
}

std::string run_target(const Target& target, std::string_view bytes, const std::filesystem::path& folder) {
  try {
    target.read(bytes, folder);
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.empty() || message.find('\n') != std::string::npos)
      throw Broken("the error is not one line: " + message);
    return message;
  }
  return {};
}

std::filesystem::path put_file(const std::filesystem::path& file, std::string_view bytes) {
  // A new file: ext4 writes one that is cut and filled again to the disk when it is closed.
  std::error_code missing;
  std::filesystem::remove(file, missing);
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw Broken("cannot write " + file.string());
  return file;
}

void require_same(std::string_view a, std::string_view b, const char* what) {
  if (a == b) return;
  const std::size_t at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  throw Broken(std::string(what) + ": differs when it is read again, at byte " + std::to_string(at) + ": '" +
               std::string(a.substr(at, 60)) + "', '" + std::string(b.substr(at, 60)) + "'");
}

}  // namespace aqbench::fuzz
