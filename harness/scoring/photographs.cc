#include "harness/scoring/photographs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/files.h"
#include "core/parallel.h"
#include "harness/scoring/depth_pictures.h"
#include "harness/viewing/cloud_view.h"
#include "metrics/diagnosis.h"
#include "scenes/images/images.h"

namespace aqbench {
namespace {

struct CameraImage {
  std::string camera;
  std::filesystem::path file;
};

// The images that the case used; none where it used none.
std::vector<CameraImage> used_images(const Subject& subject) {
  std::vector<CameraImage> images;
  if (!subject.rig || subject.depths_dir.empty()) return images;
  const std::vector<Camera>& cameras =
      subject.recording != nullptr ? subject.recording->rig.cameras : subject.rig->cameras;
  for (std::size_t i = 0; i < cameras.size(); ++i)
    if (!cameras[i].is_auxiliary)
      images.push_back(
          {cameras[i].name, subject.recording != nullptr
                                ? subject.recording->images.at(subject.frame).at(i)
                                : subject.depths_dir / "images" / cameras[i].name / "000000.png"});
  return images;
}

// The list of the case's pictures among its files, made where there is none yet.
std::string& picture_list(const std::string& folder, CaseResult& result) {
  auto& files = result.artefacts;
  const auto list = std::ranges::find(files, folder + kPictureListName, &PictureFiles::value_type::first);
  return list != files.end() ? list->second
                             : files.emplace_back(folder + kPictureListName, kPictureListHeader).second;
}

}  // namespace

void keep_photographs(const Subject& subject, CaseResult& result) {
  const std::string& name = result.record.case_name;
  const std::string view = case_file(kViewerFolder, name, ".bin"),
                    folder = case_file(kPicturesFolder, name, "/");
  if (std::ranges::find(result.artefacts, view, &PictureFiles::value_type::first) == result.artefacts.end())
    return;
  const std::vector<CameraImage> images = used_images(subject);
  const std::size_t every = stride_for(images.size(), kMaxPhotographs);
  std::vector<SmallPhotograph> photographs((images.size() + every - 1) / every);
  parallel_for(photographs.size(), 1, [&](std::size_t k, std::size_t) {
    const std::filesystem::path& file = images[k * every].file;
    photographs[k] =
        small_photograph(read_file(file), file.string(),
                         std::min(kPhotographBytes, kPhotographBytesOfCase / photographs.size()));
  });
  for (std::size_t i = 0; i < images.size(); i += every) {
    SmallPhotograph& small = photographs[i / every];
    const std::string file = i == 0 ? "photograph.jpg" : fmt::format("photograph_{}.jpg", i);
    picture_list(folder, result) +=
        fmt::format("{},photograph,{},,0,255,{},,\n", file, camera_field(images[i].camera), small.every_px);
    result.artefacts.emplace_back(folder + file, std::move(small.jpeg));
  }
}

}  // namespace aqbench
