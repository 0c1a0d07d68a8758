#include "core/resources.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr int kMaxDepth = 64;  // of descendants; a deeper tree is a fork bomb, which the timeout ends

// Returns a small /proc file; empty if it cannot be read.
std::string read_proc(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  std::array<char, 4096> buffer;
  std::string text;
  for (ssize_t count = 0; (count = ::read(descriptor, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  ::close(descriptor);
  return text;
}

std::vector<long> numbers_in(const std::string& text) {
  std::vector<long> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    long number = 0;
    const auto [next, status] = std::from_chars(at, end, number);
    if (status == std::errc{}) numbers.push_back(number);
    at = status == std::errc{} ? next : at + 1;
  }
  return numbers;
}

// Any thread of the parent may have forked a child.
std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  const std::string folder = fmt::format("/proc/{}/task", process);
  DIR* const threads = ::opendir(folder.c_str());
  if (threads == nullptr) return children;
  while (const dirent* const entry = ::readdir(threads)) {
    if (entry->d_name[0] == '.') continue;
    for (const long child : numbers_in(read_proc(fmt::format("{}/{}/children", folder, entry->d_name))))
      children.push_back(static_cast<pid_t>(child));
  }
  ::closedir(threads);
  return children;
}

void add_descendants(pid_t process, int depth, std::vector<pid_t>& found) {
  if (depth >= kMaxDepth) return;
  for (const pid_t child : children_of(process)) {
    found.push_back(child);
    add_descendants(child, depth + 1, found);
  }
}

// Returns the number of a line "NAME: 123 kB" in bytes; nullopt if it is missing.
std::optional<std::uint64_t> kilobytes_of(const std::string& text, std::string_view name) {
  const std::size_t line = text.find(name);
  if (line == std::string::npos) return std::nullopt;
  const auto numbers = numbers_in(text.substr(line + name.size(), 40));
  if (numbers.empty()) return std::nullopt;
  return static_cast<std::uint64_t>(numbers[0]) * 1024;
}

std::uint64_t proportional_bytes(pid_t process) {
  return kilobytes_of(read_proc(fmt::format("/proc/{}/smaps_rollup", process)), "\nPss:")
      .value_or(resident_bytes(process));
}

// Returns the sum over a process and its descendants.
std::uint64_t sum_over_tree(pid_t process, std::uint64_t (*bytes_of)(pid_t)) {
  std::vector<pid_t> all{process};
  add_descendants(process, 0, all);
  std::uint64_t bytes = 0;
  for (const pid_t one : all) bytes += bytes_of(one);
  return bytes;
}

constexpr std::uintptr_t kLargePage = std::uintptr_t{2} << 20;

}  // namespace

std::vector<pid_t> descendants_of(pid_t process) {
  std::vector<pid_t> all;
  add_descendants(process, 0, all);
  return all;
}

TreeMemory descendants_memory(pid_t process) {
  const std::vector<pid_t> all = descendants_of(process);
  TreeMemory memory;
  for (const pid_t one : all) {
    const std::string status = read_proc(fmt::format("/proc/{}/status", one));
    memory.largest_peak_bytes =
        std::max(memory.largest_peak_bytes, kilobytes_of(status, "VmHWM:").value_or(0));
    memory.resident_bytes +=
        all.size() > 1 ? proportional_bytes(one) : kilobytes_of(status, "VmRSS:").value_or(0);
  }
  return memory;
}

std::uint64_t resident_bytes(pid_t process) {
  const auto pages = numbers_in(read_proc(fmt::format("/proc/{}/statm", process)));
  if (pages.size() < 2) return 0;
  return static_cast<std::uint64_t>(pages[1]) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t resident_tree_bytes(pid_t process) { return sum_over_tree(process, resident_bytes); }

bool exceeds_memory(pid_t process, std::uint64_t limit_bytes, WatchedMemory& watched) {
  const std::uint64_t sum = resident_tree_bytes(process);
  const auto now = SteadyClock::now();
  if (sum <= limit_bytes || (sum <= limit_bytes + watched.shared_bytes && now < watched.next_walk))
    return false;
  const std::uint64_t bytes = sum_over_tree(process, proportional_bytes);
  watched.peak_bytes = std::max(watched.peak_bytes, bytes);
  watched.shared_bytes = sum - std::min(sum, bytes);
  watched.next_walk = now + 20 * (SteadyClock::now() - now);
  return bytes > limit_bytes;
}

std::int64_t resident_peak_bytes() {
  return static_cast<std::int64_t>(kilobytes_of(read_proc("/proc/self/status"), "VmHWM:").value_or(0));
}

bool reset_resident_peak() {
  const int descriptor = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = ::write(descriptor, "5", 1) == 1;
  ::close(descriptor);
  return written;
}

void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);         // large blocks come from the heap, too
  ::mallopt(M_TRIM_THRESHOLD, -1);  // taken as SIZE_MAX: the heap never shrinks
}

std::optional<double> cgroup_quota_processors() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period_us = 0;
  if (!(file >> quota >> period_us) || quota == "max" || period_us <= 0) return std::nullopt;
  return std::strtod(quota.c_str(), nullptr) / period_us;
}

std::optional<std::uint64_t> cgroup_memory_limit_bytes() {
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    std::uint64_t bytes = 0;
    // Version 1 encodes "no limit" as a number near 2^63.
    if (file >> bytes && bytes > 0 && bytes < (std::uint64_t{1} << 62)) return bytes;
  }
  return std::nullopt;
}

void hold_in_large_pages() {
#ifndef MADV_COLLAPSE
  constexpr int MADV_COLLAPSE = 25;  // Linux 6.1
#endif
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, rights, offset, device, inode, name;
    words >> range >> rights >> offset >> device >> inode >> name;
    if (rights != "rw-p" || inode != "0" || (!name.empty() && name != "[heap]")) continue;  // a file, a stack
    const std::size_t dash = range.find('-');
    const std::uintptr_t begin = std::stoull(range.substr(0, dash), nullptr, 16),
                         end = std::stoull(range.substr(dash + 1), nullptr, 16);
    const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage,
                         last = end / kLargePage * kLargePage;
    if (first < last) ranges.emplace_back(first, last);
  }
  for (const auto& [first, last] : ranges) {
    void* const start =
        reinterpret_cast<void*>(first);  // NOLINT(performance-no-int-to-ptr): address from /proc
    if (::madvise(start, last - first, MADV_HUGEPAGE) == 0) ::madvise(start, last - first, MADV_COLLAPSE);
  }
}

void* allocate_in_large_pages(std::size_t bytes, std::size_t alignment) {
  const std::size_t room = std::max(bytes, std::size_t{1});  // no two blocks have one address
  void* block = nullptr;
  while ((block = alignment > alignof(std::max_align_t) ? ::memalign(alignment, room) : std::malloc(room)) ==
         nullptr) {
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
  if (bytes >= 2 * kLargePage) {
    const std::size_t before = -reinterpret_cast<std::uintptr_t>(block) % kLargePage;
    ::madvise(static_cast<char*>(block) + before, (bytes - before) / kLargePage * kLargePage, MADV_HUGEPAGE);
  }
  return block;
}

void end_without_memory() {
  constexpr std::string_view kLine = "aqbench: error: out of memory\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  std::_Exit(static_cast<int>(ExitCode::io));
}

}  // namespace aqbench
