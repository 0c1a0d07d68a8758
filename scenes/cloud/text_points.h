#pragma once
// Reads clouds from text: one point a line, x y z and further columns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The columns of x, y and z, from 0, where the caller says them; unset: the text does, or they come first.
using TextColumns = std::optional<std::array<std::size_t, 3>>;

// What a text of points may be.
struct TextForm {
  bool count_allowed = false;  // the first line may be the number of points
  TextColumns columns = {};
};

// Reads x y z, one point a line. Columns are separated by blanks and tabs, or by one comma, semicolon or
// vertical bar each. Further columns are skipped, but must be numbers, and every line must have as many. The
// first line, or a comment before it, may name the columns ("id,x,y,z", "# x y z nx ny nz r g b"): then x, y,
// z and, where they are all there, nx, ny, nz and r, g, b (red, green, blue, 0 to 255) are taken by their
// names. Blank lines, and lines that start with '#' or '//', are skipped. `name` stands in errors for the
// file. Throws Error(input), one line with name, line and column, for anything else: for a comment that names
// other columns than there are with x, y, z elsewhere than in front, and, where nothing says which columns
// are x, y and z, for three or more points of four or more columns whose first one counts 0, 1, 2 ... or 1,
// 2, 3 ..., and for lines as those of COLMAP's points3D.txt.
PointCloud read_text_points(std::string_view bytes, const std::string& name, const TextForm& form = {});

// Opens a text file of about `at_least` points or more by the length of its first lines: reads it part after
// part, and puts the points that read_text_points() reads into a PointSpool, from where the blocks come.
// Returns nullptr for a shorter file. Throws as read_text_points() does, and Error(io) naming what cannot be
// read or written.
std::shared_ptr<const CloudBlocks> open_text_blocks(const std::filesystem::path& path, std::uint64_t at_least,
                                                    const TextForm& form,
                                                    std::size_t part_bytes = kTextPartBytes);

}  // namespace aqbench
