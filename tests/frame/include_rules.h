#pragma once
// Which file may include which: the arrows between the folders, read from the #include lines.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

struct Include {
  std::string path;     // as written between the quotes or angle brackets
  bool quoted = false;  // "path", not <path>
  int line = 0;
};

struct SourceFile {
  std::string path;  // from the repository root: "scenes/core/ply.cc"
  std::vector<Include> includes;
};

std::vector<Include> parse_includes(std::string_view text);

// Every .h, .cc and .inc of the source folders, sorted by path.
std::vector<SourceFile> read_source_files(const std::filesystem::path& root);

// One line for each broken rule, "FILE:LINE: ...", sorted. The rules:
// 1. scenes/core <- scenes/optics <- scenes <- metrics, pipeline <- harness <- reports <- harness/cli;
// metrics
//    and pipeline do not include each other. Tests and benchmarks are included by nobody.
// 2. Quoted includes are paths from the repository root, of files that exist.
// 3. Methods other than simulated ones do not reach scenes/scene.h or scenes/surface.h, the truth, through
// any
//    chain of includes (pipeline/simulated* and pipeline/registry.cc may).
// 4. Headers that other folders include do not bring in LibTorch, Open3D, Embree, OpenCV or all of nlohmann's
//    JSON. Nobody includes torch/torch.h or Open3D.h, which cost 5 to 12 s each.
// 5. Boost.Program_options is known to harness/cli alone.
// 6. A .cc file includes its own header first, so that compiling it shows that the header stands alone.
std::vector<std::string> include_violations(const std::vector<SourceFile>& files);

}  // namespace aqbench
