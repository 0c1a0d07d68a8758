#include "harness/running/case_input.h"

#include <fmt/format.h>

#include <system_error>

#include "core/error.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/planning/case_options.h"
#include "harness/planning/scene_choice.h"
#include "harness/records/case_name.h"
#include "scenes/dataset/perturb.h"
#include "scenes/dataset/recording.h"
#include "scenes/optics/calibration_file.h"

namespace aqbench {
namespace {

void copy_observation(const std::filesystem::path& dataset_dir, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::create_directories(to, error);
  for (const char* part : {"calibration.json", "images"})
    if (!error)
      std::filesystem::copy(dataset_dir / part, to / part, std::filesystem::copy_options::recursive, error);
  if (error) throw io_error("{}: {}", to.string(), error.message());
}

std::filesystem::path image_in(const std::filesystem::path& dataset_dir, const Camera& camera) {
  return dataset_dir / "images" / camera.name / "000000.png";
}

Rig rig_of(const Rig& rig, const std::vector<std::size_t>& cameras) {
  Rig some = rig;
  some.cameras.clear();
  for (const std::size_t i : cameras) some.cameras.push_back(rig.cameras[i]);
  return some;
}

// Takes the views that are held out from a rendered dataset.
void hold_out_views(const Case& planned, CaseDataset& dataset) {
  const ChosenViews views = views_of(planned, dataset.plan.rig);
  for (const std::size_t i : views.held_out) {
    const Camera& camera = dataset.plan.rig.cameras[i];
    dataset.held_out.push_back({camera, image_in(dataset.dataset.dir(), camera)});
    std::filesystem::remove_all(image_in(dataset.observation_dir, camera).parent_path());
  }
  dataset.plan.rig = rig_of(dataset.plan.rig, views.kept);
  write_calibration(dataset.observation_dir / "calibration.json", dataset.plan.rig, {});
}

// Takes those of a recording, as large as its other images.
void hold_out_views(const Case& planned, const std::filesystem::path& scratch_dir, CaseRecordingData& data) {
  Recording held = data.whole;
  keep_cameras(held, views_of(planned, held.rig).held_out);
  const std::size_t frame = recording_frame(planned);
  if (const int factor = recording_scale(planned); factor != 1 && !held.rig.cameras.empty())
    held = shrink_recording(held, frame, factor, scratch_dir / "held_out");
  for (std::size_t i = 0; i < held.rig.cameras.size(); ++i)
    data.held_out.push_back({held.rig.cameras[i], held.images.at(frame)[i]});
}

// Tells a method where the views stand that it shall render.
void write_held_out(const Case& planned, const std::vector<HeldOutView>& views,
                    const std::filesystem::path& observation_dir) {
  if (views.empty() || !gives_files(planned, FileKind::images) || has_own_poses(planned.name)) return;
  Rig rig;
  for (const HeldOutView& view : views) rig.cameras.push_back(view.camera);
  write_calibration(observation_dir / kHeldOutFile, rig, {});
}

void add_calibration_error(const Case& planned, const std::filesystem::path& observation_dir) {
  if (const CalibrationError error = case_calibration_error(planned); !is_zero(error))
    perturb_calibration_file(observation_dir / "calibration.json", error);
}

std::string recording_sha256(const Recording& recording, const DeclaredTruth& declared) {
  // They were decoded when the planned hash was computed.
  DatasetContents contents = inspect_recording(recording, ImageCheck::structure);
  add_truth_contents(recording, declared, contents);
  return dataset_sha256(contents);
}

// As the option dataset.scale says.
void shrink_images(const Case& planned, const std::filesystem::path& to, CaseRecordingData& data) {
  const int factor = recording_scale(planned);
  if (factor == 1) return;
  if (!data.truth.board_file.empty())
    throw input_error("dataset.scale: {} has pixels of the images as they are; use scale 1",
                      data.truth.board_file);
  data.recording = shrink_recording(data.recording, recording_frame(planned), factor, to);
  if (!data.truth.scene_file) data.truth.dir = to / "truth";
}

}  // namespace

CaseDataset make_case_dataset(const Case& planned, const std::filesystem::path& scratch_dir) {
  const auto start = SteadyClock::now();
  DatasetPlan plan = plan_dataset(dataset_request(planned));
  const auto say = [last = std::string()](std::size_t, std::size_t, const std::string& camera) mutable {
    if (camera != last) fmt::print(stderr, "rendering {}\n", printable(camera));
    last = camera;
  };
  CachedDataset cached = cached_dataset(plan, cache_options_from_environment(), say);
  CaseDataset dataset{std::move(plan), std::move(cached), scratch_dir / kObservationFolder, 0};
  copy_observation(dataset.dataset.dir(), dataset.observation_dir);
  if (holds_views_out(planned)) hold_out_views(planned, dataset);
  add_calibration_error(planned, dataset.observation_dir);
  dataset.made_ms = ms_since(start);
  return dataset;
}

CaseRecordingData make_case_recording(const Case& planned, const std::filesystem::path& observation_dir) {
  const auto start = SteadyClock::now();
  CaseRecordingData data;
  const RecordingPlace& place = recording_place(planned);
  data.recording = read_recording(place.dir, KnownCameras::optional);
  data.declared = place.declared;
  data.truth = find_recording_truth(data.recording, data.declared);
  data.sha256 = recording_sha256(data.recording, data.declared);
  if (data.sha256 != to_string(*find_option(planned, "dataset.sha256")))  // which recording_place() found
    throw input_error("{}: changed since the sweep was planned", data.recording.dir.string());
  if (data.recording.without_image > 0)
    fmt::print(stderr, "{}: {} without an image: left out\n", data.recording.dir.string(),
               counted(data.recording.without_image, "camera"));
  data.whole = data.recording;
  if (holds_views_out(planned)) hold_out_views(planned, observation_dir.parent_path(), data);
  keep_views_of(planned, data.recording);
  shrink_images(planned, observation_dir.parent_path() / "smaller", data);
  load_masks(data.recording, recording_frame(planned));
  write_observation(data.recording, recording_frame(planned), observation_dir);
  add_calibration_error(planned, observation_dir);
  data.made_ms = ms_since(start);
  return data;
}

Observed observe(const Case& planned, const std::filesystem::path& scratch_dir) {
  Observed observed;
  const std::filesystem::path observation_dir = scratch_dir / kObservationFolder;
  if (looks_at_recording(planned)) {
    observed.recording.emplace(make_case_recording(planned, observation_dir));
    observed.sha256 = observed.recording->sha256;
    observed.made_ms = observed.recording->made_ms;
    observed.held_out = observed.recording->held_out;
  } else if (renders_images(planned)) {
    observed.dataset.emplace(make_case_dataset(planned, scratch_dir));
    observed.sha256 = observed.dataset->dataset.sha256();
    observed.made_ms = observed.dataset->made_ms;
    observed.held_out = observed.dataset->held_out;
  } else {
    std::filesystem::create_directory(observation_dir);
  }
  write_held_out(planned, observed.held_out, observation_dir);
  if (has_own_poses(planned.name) && !observed.sha256.empty())
    withhold_poses(observation_dir, !method_of(planned).declaration->own_intrinsics);
  return observed;
}

void require_unchanged(const CachedDataset& dataset) {
  if (dataset_sha256(read_contents(dataset.dir())) != dataset.sha256())
    throw method_error("{}: the dataset changed while the method ran", dataset.dir().string());
}

void require_unchanged(const CaseRecordingData& data) {
  if (recording_sha256(data.whole, data.declared) != data.sha256)
    throw method_error("{}: changed while the method ran", data.recording.dir.string());
}

}  // namespace aqbench
