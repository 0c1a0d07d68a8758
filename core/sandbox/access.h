#pragma once
// Allow-lists of files and folders for a process.

#include <filesystem>
#include <vector>

namespace aqbench {

// An allow-list. Each entry includes all below it; missing entries are ignored.
struct AccessList {
  std::vector<std::filesystem::path> readable;  // read and execute
  std::vector<std::filesystem::path> writable;  // read, execute and change
  // Hidden even if an entry above would allow them.
  std::vector<std::filesystem::path> hidden;
  // A writable folder. If the process gets its own file system, this folder is its /tmp; empty: no /tmp.
  std::filesystem::path temporary = {};
};

// Adds what nearly every program needs: system folders, /proc, /sys and harmless devices. /dev/shm is
// writable unless it contains something hidden.
void add_system_access(AccessList& access);

// One entry of an allow-list after hidden paths were cut out.
struct AccessEntry {
  std::filesystem::path path;  // absolute and without links
  bool writable = false;
  bool folder = false;
};

// A link from a commonly used name to an allowed place, such as /bin.
struct AccessLink {
  std::filesystem::path path, target;
};

// An allow-list in the form the kernel takes.
struct ResolvedAccess {
  std::vector<AccessEntry> entries;
  // Allowed folders that contain something hidden; their remaining contents have their own entries. A
  // namespace lets the process list these folders, since hidden names are absent there. Landlock does not:
  // its rules apply to a folder and all below it and would expose hidden names.
  std::vector<std::filesystem::path> listable;
  std::vector<AccessLink> links;
  std::filesystem::path temporary;
};

// Replaces every folder that contains something hidden by its other contents, and drops hidden and duplicate
// entries. Inaccessible paths are left out.
ResolvedAccess resolve(const AccessList& access);

// Returns whether a path is `folder` or lies below it. Both must be absolute and without links.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace aqbench
