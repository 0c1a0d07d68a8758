#pragma once
// Readers of untrusted files, each as a function of any bytes: for the fuzzer and for the replay of its
// corpus.

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench::fuzz {

// One reader by name.
struct Target {
  const char* name;  // also the folder of its corpus, tests/fuzz/corpus/NAME
  // Reads the bytes as that kind of file; where a path is needed, the file is written to the folder, which
  // only this process uses. Throws Error for bytes that are refused.
  void (*read)(std::string_view bytes, const std::filesystem::path& folder);
};

// A reader's fault: it accepts what it then writes differently, or fails with an error that is not one line.
struct Broken : std::logic_error {
  using std::logic_error::logic_error;
};

// Returns the readers of single files: clouds, arrays, images, cameras, suites, baselines, results, samples.
std::vector<Target> file_targets();

// Returns the readers of other programs' files: meshes, COLMAP models, truth, stages, photographs, and
// folders of other benchmarks.
std::vector<Target> guest_targets();

// Returns the readers of sealed lines and of whole bundles.
std::vector<Target> bundle_targets();

// Returns all of them.
std::vector<Target> all_targets();

// Reads the bytes with a target. Returns the error's message if they are refused, "" if they are accepted.
// Throws Broken, and whatever else the reader throws, which is its fault.
std::string run_target(const Target& target, std::string_view bytes, const std::filesystem::path& folder);

// Writes a file without flushing it to the disk, and returns its path.
std::filesystem::path put_file(const std::filesystem::path& file, std::string_view bytes);

// Throws Broken "WHAT: ..." unless the texts are the same.
void require_same(std::string_view a, std::string_view b, const char* what);

}  // namespace aqbench::fuzz
