#include "harness/sharing/shared_results.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/records/bundle_path.h"
#include "harness/records/results.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kGivenBack = "given back";  // what stands in the file of such a lease

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// Returns when a process was started, in clock ticks after boot; 0 if it does not exist.
std::uint64_t start_of(std::int64_t process) {
  const std::string stat = first_line(fmt::format("/proc/{}/stat", process));
  std::size_t at = stat.rfind(')');  // the program's name may contain blanks
  if (at == std::string::npos) return 0;
  constexpr int kFieldsToStart = 20;  // from after the name to field 22, starttime
  for (int field = 0; field < kFieldsToStart; ++field) {
    at = stat.find(' ', at + 1);
    if (at == std::string::npos) return 0;
  }
  return std::stoull(stat.substr(at + 1));
}

// Returns the PID namespace of this process; "" where /proc shows another one's processes.
std::string own_pid_namespace() {
  std::error_code none;
  if (fs::read_symlink("/proc/self", none) != std::to_string(::getpid())) return {};
  return fs::read_symlink("/proc/self/ns/pid", none).string();
}

double seconds_of(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

void sync_folder(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0 || ::fsync(opened.get()) != 0) throw_file_error(folder, errno);
}

fs::path lease_file(const fs::path& folder, std::size_t item, int generation) {
  return folder / fmt::format("{}.{}", item, generation);
}

// Returns the newest generation of an item; 0 for none.
int newest_generation(const fs::path& folder, std::size_t item) {
  int generation = 0;
  while (path_exists(lease_file(folder, item, generation + 1))) ++generation;
  return generation;
}

fs::path machines_folder(const fs::path& tasks) { return tasks / "machines"; }

fs::path file_of_machine(const fs::path& tasks, const std::string& host) {
  return machines_folder(tasks) / (host + ".json");
}

// The reference for all others. No host has this name: it would need a leading dot.
fs::path first_machine(const fs::path& tasks) { return machines_folder(tasks) / ".first"; }

fs::path results_folder(const fs::path& tasks) { return tasks / "results"; }
fs::path result_file(const fs::path& tasks, std::size_t place) {
  return results_folder(tasks) / std::to_string(place);
}

}  // namespace

LeaseHolder this_process() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"unknown"};
  return {host.data(), first_line("/proc/sys/kernel/random/boot_id"), own_pid_namespace(), ::getpid(),
          start_of(::getpid())};
}

std::optional<LeaseHolder> read_lease_holder(const fs::path& file) {
  const std::string line = first_line(file);
  try {
    const Json lease = parse_strict_json(line, file.string());
    const JsonPlace root(lease, file.string());
    return LeaseHolder{root.at("host").text(), root.at("boot_id").text(), root.at("pid_namespace").text(),
                       root.at("process").integer(), root.at("started").count()};
  } catch (const Error&) {
    return std::nullopt;  // truncated: such a lease becomes stale like any other
  }
}

bool is_known_dead(const LeaseHolder& holder) {
  const LeaseHolder self = this_process();
  if (holder.boot_id.empty() || holder.boot_id != self.boot_id || holder.host != self.host) return false;
  if (holder.pid_namespace.empty() || holder.pid_namespace != self.pid_namespace) return false;
  const auto process = static_cast<pid_t>(holder.process);
  if (process <= 0 || process != holder.process) return false;
  if (::kill(process, 0) != 0 && errno == ESRCH) return true;
  const std::uint64_t started = start_of(process);  // 0 also where /proc hides the processes of others
  return started != 0 && started != holder.started;
}

void Lease::write(int descriptor) const {
  const LeaseHolder self = this_process();
  const std::string text =
      Json{{"host", self.host},       {"boot_id", self.boot_id}, {"pid_namespace", self.pid_namespace},
           {"process", self.process}, {"started", self.started}, {"beat", beat_}}
          .dump() +
      "\n";
  if (::pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::fsync(descriptor) != 0)
    throw_file_error(file_, errno == 0 ? EIO : errno);
}

void Lease::renew_if_due() {
  if (seconds_of(Clock::now() - written_) < lease_s_ / 4) return;
  const Descriptor opened(::open(file_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (opened.get() < 0 && errno == ENOENT) return;  // the sweep is done: nothing to hold
  if (opened.get() < 0) throw_file_error(file_, errno);
  ++beat_;
  write(opened.get());
  written_ = Clock::now();
}

void Lease::give_back() const {
  const Descriptor opened(::open(file_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW));
  if (opened.get() >= 0) write_all(opened.get(), kGivenBack);  // if that fails, the lease is stale soon
}

LeaseTable::LeaseTable(fs::path folder, double lease_s) : folder_(std::move(folder)), lease_s_(lease_s) {
  if (!(lease_s > 0)) throw usage_error("--lease {}: must be positive", lease_s);
}

bool LeaseTable::is_stale(std::size_t item, int generation) {
  const std::string text = first_line(lease_file(folder_, item, generation));
  if (text == kGivenBack) return true;
  const auto holder = read_lease_holder(lease_file(folder_, item, generation));
  if (holder && is_known_dead(*holder)) return true;
  Seen& seen = seen_[item];
  if (seen.generation != generation || seen.text != text) seen = {generation, text, Clock::now()};
  return seconds_of(Clock::now() - seen.since) > lease_s_;
}

std::optional<Lease> LeaseTable::attempt(std::size_t item) {
  const int newest = newest_generation(folder_, item);
  if (newest > 0 && !is_stale(item, newest)) return std::nullopt;
  Lease lease(lease_file(folder_, item, newest + 1), newest + 1, lease_s_);
  const Descriptor made(::open(lease.file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (made.get() < 0 && errno == EEXIST) return std::nullopt;  // another process was faster
  if (made.get() < 0) throw_file_error(lease.file_, errno);
  lease.write(made.get());
  lease.written_ = Clock::now();
  sync_folder(folder_);
  return lease;
}

FileLock join_timed_machines(const fs::path& tasks, const std::string& host, const Json& environment,
                             UnlikeMachines unlike) {
  make_folders(machines_folder(tasks));
  auto lock = FileLock::attempt(machines_folder(tasks) / (host + ".lock"), LockMode::exclusive);
  if (!lock)
    throw not_comparable_error(
        "{}: another task of this timed sweep runs here; times need a machine of their own", host);
  // Published results of this machine belong to its earlier description.
  const Json now = comparability_of(environment);
  if (const auto before = environment_of_machine(tasks, host); before && comparability_of(*before) != now)
    throw not_comparable_error(
        "{}: changed since it joined this timed sweep: {}", host,
        fmt::join(comparability_differences(comparability_of(*before), now, "before"), "; "));
  const fs::path own = file_of_machine(tasks, host);
  const std::string text = Json{{"host", host}, {"environment", environment}}.dump() + "\n";
  write_file(own, text);
  write_new_file(first_machine(tasks), text);  // of several machines that begin at once one is first
  const Json first = parse_strict_json(read_file(first_machine(tasks)), first_machine(tasks).string());
  const JsonPlace root(first, first_machine(tasks).string());
  const std::vector<std::string> differences = comparability_differences(
      comparability_of(root.at("environment").value()), now, "that of " + root.at("host").text());
  if (!differences.empty() && unlike == UnlikeMachines::refuse) {
    std::error_code ignored;  // it has run nothing
    fs::remove(own, ignored);
    throw not_comparable_error(
        "{}: differs from the first machine of this timed sweep: {}; with --unlike-nodes "
        "it joins, but times are then not comparable with any other run",
        host, fmt::join(differences, "; "));
  }
  return std::move(*lock);
}

std::optional<Json> environment_of_machine(const fs::path& tasks, const std::string& host) {
  const fs::path file = file_of_machine(tasks, host);
  if (!path_exists(file)) return std::nullopt;
  const Json machine = parse_strict_json(read_file(file), file.string());
  return JsonPlace(machine, file.string()).at("environment").value();
}

fs::path tasks_folder(const fs::path& bundle) {
  const fs::path plain = bundle.has_filename() ? bundle : bundle.parent_path();
  return plain.string() + ".tasks";
}

fs::path leases_folder(const fs::path& tasks) { return tasks / "leases"; }

void make_tasks_folder(const fs::path& tasks) {
  make_folders(leases_folder(tasks));
  make_folders(results_folder(tasks));
}

bool publish(const fs::path& tasks, std::size_t place, const SharedResult& result) {
  const Json head = {{"host", result.host}, {"process", result.process}, {"log_bytes", result.log.size()}};
  return write_new_file(result_file(tasks, place),
                        head.dump() + "\n" + result.log + encode_case_result(result.result));
}

bool is_published(const fs::path& tasks, std::size_t place) { return path_exists(result_file(tasks, place)); }

std::set<std::size_t> published_places(const fs::path& tasks) {
  std::set<std::size_t> places;
  std::error_code error;
  for (fs::directory_iterator entry(results_folder(tasks), error), end; !error && entry != end;
       entry.increment(error))
    if (const auto place = parse_whole<std::size_t>(entry->path().filename().string())) places.insert(*place);
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
  if (!is_bundle_path(result.host) || result.host.find('/') != std::string::npos)  // a file has its name
    root.at("host").fail("'{}' is not the name of a host", printable(result.host));
  result.process = root.at("process").integer();
  const std::size_t log_bytes = root.at("log_bytes").count();
  if (log_bytes > bytes.size() - line_end - 1)
    throw Error(ErrorKind::input, file.string() + ": is truncated");
  result.log = bytes.substr(line_end + 1, log_bytes);
  result.result = decode_case_result(std::string_view(bytes).substr(line_end + 1 + log_bytes), file.string());
  return result;
}

std::vector<WorkingTask> working_tasks(const fs::path& tasks) {
  const std::set<std::size_t> published = published_places(tasks);
  std::map<std::size_t, std::pair<std::size_t, fs::path>> newest;  // by place: generation, file
  for (const fs::path& lease : entries_of(leases_folder(tasks))) {
    const std::string name = lease.filename().string();
    const std::size_t dot = name.find('.');
    const auto place = parse_whole<std::size_t>(name.substr(0, dot));
    const auto generation = parse_whole<std::size_t>(dot == std::string::npos ? "" : name.substr(dot + 1));
    if (!place || !generation || published.contains(*place)) continue;
    auto& known = newest[*place];
    if (*generation > known.first) known = {*generation, lease};
  }
  std::vector<WorkingTask> working;
  for (const auto& [place, lease] : newest)
    if (const auto holder = read_lease_holder(lease.second))
      working.push_back({place, holder->host, holder->process, is_known_dead(*holder)});
  return working;
}

}  // namespace aqbench
