#include "core/sandbox/sandbox.h"

#include <algorithm>
#include <string_view>
#include <system_error>

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSystemFolders[] = {"/usr",   "/bin",    "/sbin", "/lib",  "/lib32",
                                          "/lib64", "/libx32", "/etc",  "/opt",  "/nix",
                                          "/gnu",   "/snap",   "/sys",  "/proc", "/var/cache/fontconfig"};
constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};

// GPU devices, which have numbers in their names.
constexpr std::string_view kGpuDevices[] = {"nvidia", "dri", "kfd"};

// Returns the canonical path; empty if it does not exist or cannot be accessed.
fs::path real_place(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  return error ? fs::path() : real;
}

class Resolver {
 public:
  explicit Resolver(const AccessList& access) : access_(access) {
    for (const fs::path& path : access.hidden)
      if (fs::path real = real_place(path); !real.empty()) hidden_.push_back(std::move(real));
  }

  ResolvedAccess resolve() {
    for (const fs::path& path : access_.writable) add_named(path, true);
    if (!access_.temporary.empty()) add_named(access_.temporary, true);
    for (const fs::path& path : access_.readable) add_named(path, false);
    if (!access_.temporary.empty()) resolved_.temporary = real_place(access_.temporary);
    return std::move(resolved_);
  }

 private:
  // A name may be a link, or lie behind one: keep the link beside its target.
  void add_named(const fs::path& path, bool writable) {
    const fs::path real = real_place(path);
    if (real.empty()) return;
    const fs::path named = fs::absolute(path).lexically_normal();
    if (named != real && named.has_filename()) resolved_.links.push_back({named, real});
    add(real, writable);
  }

  void add(const fs::path& real, bool writable) {
    std::error_code error;
    const bool folder = fs::is_directory(real, error);
    if (error || std::ranges::any_of(hidden_, [&](const fs::path& hidden) { return lies_in(real, hidden); }))
      return;
    if (std::ranges::none_of(hidden_, [&](const fs::path& hidden) { return lies_in(hidden, real); })) {
      const bool covered = std::ranges::any_of(resolved_.entries, [&](const AccessEntry& entry) {
        return lies_in(real, entry.path) && (entry.writable || !writable);
      });
      if (!covered) resolved_.entries.push_back({real, writable, folder});
      return;
    }
    resolved_.listable.push_back(real);
    for (fs::directory_iterator inside(real, error); !error && inside != fs::directory_iterator();
         inside.increment(error)) {
      std::error_code unknown;
      const fs::file_status status = inside->symlink_status(unknown);
      if (fs::is_symlink(status))
        resolved_.links.push_back({inside->path(), fs::read_symlink(inside->path(), unknown)});
      else
        add(inside->path(), writable);
    }
  }

  const AccessList& access_;
  std::vector<fs::path> hidden_;
  ResolvedAccess resolved_;
};

}  // namespace

bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

void add_system_access(AccessList& access) {
  access.readable.insert(access.readable.end(), std::begin(kSystemFolders), std::end(kSystemFolders));
  access.writable.insert(access.writable.end(), std::begin(kDevices), std::end(kDevices));
  std::error_code error;
  for (fs::directory_iterator device("/dev", error); !error && device != fs::directory_iterator();
       device.increment(error)) {
    const std::string name = device->path().filename().string();
    if (std::ranges::any_of(kGpuDevices, [&](std::string_view gpu) { return name.starts_with(gpu); }))
      access.writable.push_back(device->path());
  }
  const fs::path shared_memory = "/dev/shm";
  if (std::ranges::none_of(
          access.hidden, [&](const fs::path& hidden) { return lies_in(real_place(hidden), shared_memory); }))
    access.writable.push_back(shared_memory);
}

ResolvedAccess resolve(const AccessList& access) { return Resolver(access).resolve(); }

}  // namespace aqbench
