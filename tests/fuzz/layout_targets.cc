// Readers of layouts of other programs: one file of a small valid folder is any bytes.
#include <filesystem>
#include <string_view>

#include "scenes/dataset/recording_truth.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/scenes/images/small_png.h"

namespace aqbench::fuzz {
namespace {

using Folder = std::filesystem::path;

struct LayoutFile {
  const char* folder;
  const char* name;
  std::string_view content;
};

constexpr const char* kImages[] = {"transforms/a.png", "mvsnet/images/00000000.png", "tanks/a.png",
                                   "eth3d/a.png", "frames/a.png"};

constexpr LayoutFile kLayoutFiles[] = {
    {"transforms", "transforms.json",
     R"({"fl_x": 2, "frames": [{"file_path": "a", "transform_matrix": [[1, 0, 0, 0], [0, -1, 0, 0], )"
     R"([0, 0, -1, 0], [0, 0, 0, 1]]}]})"},
    {"mvsnet", "cams/00000000_cam.txt",
     "extrinsic\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n\nintrinsic\n2 0 0.9\n0 2 0.9\n0 0 1\n\n0.5 0.1\n"},
    {"mvsnet", "pair.txt", "1\n0\n0\n"},
    {"tanks", "Hill_COLMAP_SfM.log", "0 0 0\n1 0 0 0.5\n0 1 0 0\n0 0 1 0\n0 0 0 1\n"},
    {"tanks", "Hill_trans.txt", "2 0 0 0\n0 2 0 0\n0 0 2 0\n0 0 0 1\n"},
    {"tanks", "intrinsics.json",
     R"({"width": 2, "height": 2, "intrinsic_matrix": [2, 0, 0, 0, 2, 0, 0.5, 0.5, 1]})"},
    {"eth3d", "dslr_scan_eval/scan_alignment.mlp",
     "<MLMesh filename=\"scan.xyz\"><MLMatrix44>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</MLMatrix44></MLMesh>"},
    {"frames", "rigs.txt", "1 1 CAMERA 1\n"},
    {"frames", "frames.txt", "1 1 1 0 0 0 0 0 0 1 CAMERA 1 1\n"},
    {"eth3d", "dslr_scan_eval/scan.xyz", "0 0 1\n"},
    {"eth3d", "dslr_calibration_undistorted/cameras.txt", "1 PINHOLE 2 2 2 2 1 1\n"},
    {"eth3d", "dslr_calibration_undistorted/images.txt", "1 1 0 0 0 0 0 0 1 a.png\n\n"},
    {"frames", "cameras.txt", "1 PINHOLE 2 2 2 2 1 1\n"},
    {"frames", "images.txt", "1 1 0 0 0 0 0 0 1 a.png\n\n"}};
constexpr std::size_t kChangedFiles = 9;  // the first ones; other targets change the others

void put(const Folder& file, std::string_view bytes) {
  std::filesystem::create_directories(file.parent_path());
  put_file(file, bytes);
}

// The first byte selects the file. It is restored at the end: writing all of them each time costs more than
// reading them.
class ChangedFile {
 public:
  ChangedFile(Folder root, const LayoutFile& changed, std::string_view bytes)
      : file_(root / changed.folder / changed.name), content_(changed.content) {
    if (std::filesystem::create_directories(root)) {
      for (const LayoutFile& file : kLayoutFiles) put(root / file.folder / file.name, file.content);
      for (const char* const image : kImages) put(root / image, small_png());
    }
    put_file(file_, bytes);
  }
  ~ChangedFile() { put_file(file_, content_); }
  ChangedFile(const ChangedFile&) = delete;
  ChangedFile& operator=(const ChangedFile&) = delete;

 private:
  Folder file_;
  std::string_view content_;
};

void read_layouts_target(std::string_view bytes, const Folder& folder) {
  const std::size_t which = bytes.empty() ? 0 : static_cast<unsigned char>(bytes[0]) % kChangedFiles;
  const LayoutFile& changed = kLayoutFiles[which];
  const ChangedFile keep(folder / "layouts", changed, bytes.substr(bytes.empty() ? 0 : 1));
  const Recording recording = read_recording(folder / "layouts" / changed.folder);
  (void)truth_text(find_recording_truth(recording));
}

}  // namespace

std::vector<Target> layout_targets() { return {{"layouts", read_layouts_target}}; }

}  // namespace aqbench::fuzz
