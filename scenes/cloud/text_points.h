#pragma once
// Reads clouds from text: one point a line, x y z and further columns.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/record_blocks.h"

namespace aqbench {

// Reads x y z, one point a line. Columns are separated by blanks and tabs, or by one comma, semicolon or
// vertical bar each. Further columns are skipped, but must be numbers, and every line must have as many. The
// first line may name the columns ("x,y,z,intensity"): then x, y, z and, where present, nx, ny, nz are taken
// by their names. Blank lines, and lines that start with '#' or '//', are skipped. With `count_allowed` the
// first line may be the number of points. `name` stands in errors for the file. Throws Error(input), one line
// with name, line and column, for anything else.
PointCloud read_text_points(std::string_view bytes, const std::string& name, bool count_allowed = false);

// Opens a text file of about `at_least` points or more by the length of its first lines: reads it part after
// part, and puts the points that read_text_points() reads into a PointSpool, from where the blocks come.
// Returns nullptr for a shorter file. Throws as read_text_points() does, and Error(io) naming what cannot be
// read or written.
std::shared_ptr<const CloudBlocks> open_text_blocks(const std::filesystem::path& path, std::uint64_t at_least,
                                                    bool count_allowed,
                                                    std::size_t part_bytes = kTextPartBytes);

}  // namespace aqbench
