#include "core/sandbox/sandbox.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.h"

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

// Places without links, and what lies in them and above them.
class Places {
 public:
  explicit Places(const std::vector<fs::path>& paths) {
    for (const fs::path& path : paths)
      if (fs::path place = real_place(path); !place.empty() && inside_.insert(place.native()).second)
        while (place != place.parent_path()) above_.insert((place = place.parent_path()).native());
  }
  bool hold(fs::path place) const {
    for (; place != place.parent_path(); place = place.parent_path())
      if (inside_.contains(place.native())) return true;
    return inside_.contains(place.native());
  }
  bool lie_below(const fs::path& place) const { return above_.contains(place.native()); }

 private:
  std::unordered_set<std::string> inside_, above_;
};

class Resolver {
 public:
  explicit Resolver(const AccessList& access)
      : access_(access), hidden_(access.hidden), closed_(access.closed) {}

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
    if (!hidden_.hold(real) && !closed_.hold(real)) add(real, writable);
  }

  bool is_covered(fs::path place, bool writable) const {
    for (;; place = place.parent_path()) {
      const auto above = writable_.find(place.native());
      if (above != writable_.end() && (above->second || !writable)) return true;
      if (place == place.parent_path()) return false;
    }
  }

  // Adds a place that lies in nothing hidden or closed.
  void add(const fs::path& real, bool writable) {
    std::error_code error;
    const bool folder = fs::is_directory(real, error);
    if (error) return;
    const bool has_hidden = hidden_.lie_below(real);
    if (has_hidden || closed_.lie_below(real)) return add_contents(real, writable, has_hidden);
    if (is_covered(real, writable)) return;
    writable_[real.native()] = writable;
    resolved_.entries.push_back({real, writable, folder});
  }

  void add_contents(const fs::path& folder, bool writable, bool has_hidden) {
    resolved_.listable.push_back(folder);
    if (!has_hidden) resolved_.listable_by_rule.push_back(folder);
    std::error_code error;
    for (fs::directory_iterator inside(folder, error), end; !error && inside != end;
         inside.increment(error)) {
      const fs::path& place = inside->path();
      if (hidden_.hold(place) || closed_.hold(place)) continue;
      if (++names_ > kMaxNamesBesideHidden)
        throw method_error("{}: more than {} names lie beside what is hidden from methods there; move them",
                           folder.string(), kMaxNamesBesideHidden);
      std::error_code unknown;
      if (inside->is_symlink(unknown))
        resolved_.links.push_back({place, fs::read_symlink(place, unknown)});
      else
        add(place, writable);
    }
  }

  const AccessList& access_;
  Places hidden_, closed_;
  ResolvedAccess resolved_;
  std::unordered_map<std::string, bool> writable_;  // of the entries
  std::size_t names_ = 0;
};

bool others_may_read(const struct stat& status) {
  const mode_t needed = S_ISDIR(status.st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
  return (status.st_mode & needed) == needed;
}

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

void close_files_of_root(AccessList& access, const std::vector<fs::path>& needed) {
  if (::geteuid() != 0) return;
  const Places open(needed);
  for (const char* const place : {"/sys/kernel/debug", "/sys/kernel/tracing"})
    access.closed.emplace_back(place);
  std::vector<fs::path> folders = {"/etc", "/opt", "/usr/local"};
  while (!folders.empty()) {
    const fs::path folder = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    for (fs::directory_iterator inside(folder, error), end; !error && inside != end;
         inside.increment(error)) {
      const fs::path& place = inside->path();
      struct stat status {};
      if (open.hold(place) || ::lstat(place.c_str(), &status) != 0 || S_ISLNK(status.st_mode)) continue;
      if (!others_may_read(status) && !open.lie_below(place))
        access.closed.push_back(place);
      else if (S_ISDIR(status.st_mode))
        folders.push_back(place);
    }
  }
}

ResolvedAccess resolve(const AccessList& access) { return Resolver(access).resolve(); }

}  // namespace aqbench
