#pragma once
// Files of text that somebody else may have made, and files that grow.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace aqbench {

// What zero bytes are: an error, or, in logs that programs wrote, nothing.
enum class ZeroBytes { refuse, leave_out };

// Returns a whole file of text, reading it piece by piece: a file that claims gigabytes and holds none (a
// sparse one reads as zero bytes) takes little memory. Throws as read_file(), and with ZeroBytes::refuse
// Error(input) "FILE: holds a zero byte: this is no text".
std::string read_text_file(const std::filesystem::path& path,
                           std::uintmax_t max_bytes = std::uintmax_t{1} << 32,
                           ZeroBytes zero_bytes = ZeroBytes::refuse);

// Does the same for a log: leaves out zero bytes.
std::string read_log_file(const std::filesystem::path& path);

// Appends to a file, which is made if it is not there. A link is followed where link_target() allows it.
// Throws Error(io).
void append_to_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace aqbench
