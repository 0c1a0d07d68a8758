#include "harness/sharing/lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"

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
  std::error_code error;
  int generation = 0;
  while (fs::exists(lease_file(folder, item, generation + 1), error)) ++generation;
  return generation;
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

Lease::Lease(fs::path folder, std::size_t item, int generation, double lease_s)
    : folder_(std::move(folder)), item_(item), generation_(generation), lease_s_(lease_s) {}

fs::path Lease::file() const { return lease_file(folder_, item_, generation_); }

void Lease::write(int descriptor) const {
  const LeaseHolder self = this_process();
  const std::string text =
      Json{{"host", self.host},       {"boot_id", self.boot_id}, {"pid_namespace", self.pid_namespace},
           {"process", self.process}, {"started", self.started}, {"beat", beat_}}
          .dump() +
      "\n";
  if (::pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::fsync(descriptor) != 0)
    throw_file_error(file(), errno == 0 ? EIO : errno);
}

void Lease::renew_if_due() {
  if (seconds_of(Clock::now() - written_) < lease_s_ / 4) return;
  const Descriptor opened(::open(file().c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (opened.get() < 0 && errno == ENOENT) return;  // the sweep is done: nothing to hold
  if (opened.get() < 0) throw_file_error(file(), errno);
  ++beat_;
  write(opened.get());
  written_ = Clock::now();
}

void Lease::give_back() const {
  const Descriptor opened(::open(file().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW));
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
  Lease lease(folder_, item, newest + 1, lease_s_);
  const Descriptor made(::open(lease.file().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (made.get() < 0 && errno == EEXIST) return std::nullopt;  // another process was faster
  if (made.get() < 0) throw_file_error(lease.file(), errno);
  lease.write(made.get());
  lease.written_ = Clock::now();
  sync_folder(folder_);
  return lease;
}

}  // namespace aqbench
