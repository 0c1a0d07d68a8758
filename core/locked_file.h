#pragma once
// A file that one process at a time adds lines to, and what a killed one leaves beside it. For
// harness/running/journal.h, harness/ab/pair_journal.h and reports/bundle/bundle.h.

#include <filesystem>
#include <string_view>

namespace aqbench {

[[noreturn]] void throw_file_error(const std::filesystem::path& file, int error);  // Error(io)

// A descriptor, for appending, locked until it is closed here and in every child. Throws Error(io), also if
// another process has it, or had it until now and removed or replaced it.
int open_locked(const std::filesystem::path& file);

// 0, or the errno of what failed. A line goes out in one write(); a short one is followed up to learn why.
int append_line(int descriptor, std::string_view line);

// Removes what write_file() (core/files.h) leaves below `folder` when its process is killed:
// NAME.tmp<pid>.<n>. What cannot be removed stays.
void remove_write_leftovers(const std::filesystem::path& folder);

}  // namespace aqbench
