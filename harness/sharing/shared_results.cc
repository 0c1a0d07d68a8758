#include "harness/sharing/shared_results.h"

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "harness/sharing/lease.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

fs::path results_folder(const fs::path& tasks) { return tasks / "results"; }
fs::path result_file(const fs::path& tasks, std::size_t place) {
  return results_folder(tasks) / std::to_string(place);
}

std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

fs::path tasks_folder(const fs::path& bundle) {
  const fs::path plain = bundle.has_filename() ? bundle : bundle.parent_path();
  return plain.string() + ".tasks";
}

fs::path leases_folder(const fs::path& tasks) { return tasks / "leases"; }

void make_tasks_folder(const fs::path& tasks) {
  for (const fs::path& folder : {leases_folder(tasks), results_folder(tasks)}) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) throw io_error("{}: {}", folder.string(), failed.message());
  }
}

bool publish(const fs::path& tasks, std::size_t place, const SharedResult& result) {
  const Json head = {{"host", result.host}, {"process", result.process}, {"log_bytes", result.log.size()}};
  return write_new_file(result_file(tasks, place),
                        head.dump() + "\n" + result.log + encode_case_result(result.result));
}

bool is_published(const fs::path& tasks, std::size_t place) {
  std::error_code error;
  return fs::exists(result_file(tasks, place), error);
}

std::set<std::size_t> published_places(const fs::path& tasks) {
  std::set<std::size_t> places;
  std::error_code error;
  for (fs::directory_iterator entry(results_folder(tasks), error), end; !error && entry != end;
       entry.increment(error))
    if (const auto place = number_of(entry->path().filename().string())) places.insert(*place);
  if (error) throw io_error("{}: {}", tasks.string(), error.message());
  return places;
}

SharedResult read_shared_result(const fs::path& tasks, std::size_t place) {
  const fs::path file = result_file(tasks, place);
  const std::string bytes = read_file(file);
  const std::size_t line_end = bytes.find('\n');
  if (line_end == std::string::npos) throw Error(ErrorKind::input, file.string() + ": is truncated");
  const Json head = parse_strict_json(std::string_view(bytes).substr(0, line_end), file.string());
  const JsonPlace root(head, file.string());
  SharedResult result;
  result.host = root.at("host").text();
  result.process = root.at("process").integer();
  const std::size_t log_bytes = root.at("log_bytes").count();
  if (log_bytes > bytes.size() - line_end - 1)
    throw Error(ErrorKind::input, file.string() + ": is truncated");
  result.log = bytes.substr(line_end + 1, log_bytes);
  result.result = decode_case_result(std::string_view(bytes).substr(line_end + 1 + log_bytes));
  return result;
}

std::vector<WorkingTask> working_tasks(const fs::path& tasks) {
  const std::set<std::size_t> published = published_places(tasks);
  std::map<std::size_t, std::pair<std::size_t, fs::path>> newest;  // by place: generation, file
  std::error_code error;
  for (fs::directory_iterator entry(leases_folder(tasks), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::size_t dot = name.find('.');
    const auto place = number_of(name.substr(0, dot));
    const auto generation = number_of(dot == std::string::npos ? "" : name.substr(dot + 1));
    if (!place || !generation || published.contains(*place)) continue;
    auto& known = newest[*place];
    if (*generation > known.first) known = {*generation, entry->path()};
  }
  std::vector<WorkingTask> working;
  for (const auto& [place, lease] : newest) {
    if (const auto holder = read_lease_holder(lease.second))
      working.push_back({place, holder->host, holder->process, is_known_dead(*holder)});
  }
  return working;
}

}  // namespace aqbench
