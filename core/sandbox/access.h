#pragma once
// What a process may reach in the file system: an allow-list of files and folders.

#include <filesystem>
#include <vector>

namespace aqbench {

// An allow-list. Each entry counts with all that lies below it; entries that do not exist are passed over.
struct AccessList {
  std::vector<std::filesystem::path> readable;  // read and executed
  std::vector<std::filesystem::path> writable;  // read, executed and changed
  // Out of reach even where an entry above would allow them.
  std::vector<std::filesystem::path> hidden;
  // A folder that may be written, too. Where the process gets a file system of its own, this folder is its
  // /tmp; empty: it has no /tmp.
  std::filesystem::path temporary = {};
};

// Adds what nearly every program needs: the system's folders, /proc, /sys and harmless devices. /dev/shm is
// among what may be written unless something hidden lies in it.
void add_system_access(AccessList& access);

// One entry of an allow-list after what is hidden was cut out of it.
struct AccessEntry {
  std::filesystem::path path;  // absolute, without links in it
  bool writable = false;
  bool folder = false;
};

// A link that leads from a name that programs use to an allowed place, such as /bin.
struct AccessLink {
  std::filesystem::path path, target;
};

// An allow-list as a kernel can take it.
struct ResolvedAccess {
  std::vector<AccessEntry> entries;
  // Allowed folders that have something hidden below them; the rest of their contents has entries of its own.
  // A namespace lets the process list these folders, since nothing hidden is in them there. Landlock does
  // not: its rules hold for a folder with all below it and would show the names of what is hidden.
  std::vector<std::filesystem::path> listable;
  std::vector<AccessLink> links;
  std::filesystem::path temporary;
};

// Replaces every folder that has something hidden below it by its other contents, and drops entries that are
// hidden themselves or doubled. What cannot be looked at is left out.
ResolvedAccess resolve(const AccessList& access);

// Returns whether a path is `folder` or lies below it. Both are absolute, without links in them.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace aqbench
