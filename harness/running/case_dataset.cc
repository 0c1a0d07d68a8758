#include "harness/running/case_dataset.h"

#include <fmt/format.h>

#include <system_error>

#include "core/error.h"
#include "core/stopwatch.h"
#include "scenes/dataset/dataset_digest.h"

namespace aqbench {

void copy_observation(const std::filesystem::path& dataset_dir, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::create_directories(to, error);
  for (const char* part : {"calibration.json", "images"})
    if (!error)
      std::filesystem::copy(dataset_dir / part, to / part, std::filesystem::copy_options::recursive, error);
  if (error) throw io_error("{}: {}", to.string(), error.message());
}

CaseDataset make_case_dataset(const Case& planned, const std::filesystem::path& scratch_dir) {
  const auto start = SteadyClock::now();
  DatasetPlan plan = plan_dataset(dataset_request(planned));
  const auto say = [last = std::string()](std::size_t, std::size_t, const std::string& camera) mutable {
    if (camera != last) fmt::print(stderr, "rendering {}\n", camera);
    last = camera;
  };
  CachedDataset cached = cached_dataset(plan, cache_options_from_environment(), say);
  CaseDataset dataset{std::move(plan), std::move(cached), scratch_dir / kObservationFolder, 0};
  copy_observation(dataset.dataset.dir(), dataset.observation_dir);
  if (const CalibrationError error = case_calibration_error(planned); !is_zero(error))
    perturb_calibration_file(dataset.observation_dir / "calibration.json", error);
  dataset.made_ms = ms_since(start);
  return dataset;
}

void require_unchanged(const CachedDataset& dataset) {
  if (dataset_sha256(read_contents(dataset.dir())) != dataset.sha256())
    throw method_error("{}: the dataset changed while the method ran", dataset.dir().string());
}

}  // namespace aqbench
