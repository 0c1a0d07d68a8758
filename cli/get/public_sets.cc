#include "cli/get/public_sets.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json_members.h"
#include "core/processes/process.h"
#include "core/sha256.h"
#include "scenes/dataset/dataset_cache.h"

namespace aqbench::cli {
namespace {

// Names become files of the cache and words of a command line.
void require_plain(const std::string& name, const JsonPlace& place) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (name.empty() || name.front() == '.' || name.front() == '-' ||
      name.find_first_not_of(kLetters) != std::string::npos)
    place.fail("must consist of letters, digits, '.', '_' and '-'");
}

namespace fs = std::filesystem;

[[noreturn]] void fail(const PublicFile& file, const std::string& what) {
  throw io_error.of_file(file.name, "{}", what);
}

std::uintmax_t size_of(const fs::path& file) {
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(file, missing);
  return missing ? 0 : bytes;
}

// How an attempt ended: curl's exit code as the shell gives it, and the last answer's HTTP status.
struct Attempt {
  int code = 0, status = 0;
};

constexpr int kMissing = 127;  // exit code of a program that cannot be started

// Runs a program that does not outlive this process: what it goes on to write would join with what the next
// call fetches. Returns its exit code as run_to_end().
int run_and_end_with_this(const std::vector<std::string>& argv) {
  const ProgramStart program(argv);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == parent) program.become();
    ::_exit(kMissing);
  }
  if (child < 0) throw io_error("fork: {}", std::strerror(errno));
  const int status = wait_for_end(child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Returns the MD5 of a file in hexadecimal digits.
std::string md5_file_hex(const fs::path& file) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::ifstream bytes(file, std::ios::binary);
  std::vector<char> piece(1 << 20);
  bool good = context && EVP_DigestInit_ex(context.get(), EVP_md5(), nullptr) == 1;
  for (good = good && bytes.is_open(); good && bytes;) {
    bytes.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    good = EVP_DigestUpdate(context.get(), piece.data(), static_cast<std::size_t>(bytes.gcount())) == 1;
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  if (!good || bytes.bad() || EVP_DigestFinal_ex(context.get(), hash.data(), &size) != 1)
    throw io_error("{}: its MD5 cannot be computed", file.string());
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", hash.at(i));
  return hex;
}

constexpr int kTooLarge = 128 + 25, kNoRanges = 33, kNotWritten = 23;
constexpr int kMaxIdle = 5;  // attempts in a row that bring nothing new

// Continues `part`. The shell limits its size, whatever the server sends.
Attempt attempt(const PublicFile& file, const fs::path& part, const DownloadLimits& limits) {
  const fs::path status = part.string() + ".status";
  const std::uintmax_t most = file.bytes.value_or(limits.max_bytes);
  const char* const progress = ::isatty(STDERR_FILENO) != 0 ? "--progress-bar" : "--silent";
  constexpr const char* kFetch =
      "ulimit -f \"$1\"; exec curl --fail --location --max-redirs 10 --proto =http,https "
      "--connect-timeout \"$2\" --speed-limit 1000 --speed-time \"$2\" --continue-at - "
      "--write-out '%{http_code}' --output \"$3\" \"$4\" -- \"$5\" >\"$6\"";
  const int code = run_and_end_with_this({"sh", "-c", kFetch, "sh", std::to_string(most / 512 + 1),
                                          std::to_string(limits.stall_s), part.string(), progress,
                                          *file.address, status.string()});
  Attempt ended{code, 0};
  std::ifstream(status) >> ended.status;
  fs::remove(status);
  return ended;
}

// The first bytes of archives: a page of a server that says no is none.
bool begins_as_named(const fs::path& part, const std::string& name) {
  std::string start(6, '\0');
  std::ifstream(part, std::ios::binary).read(start.data(), 6);
  using namespace std::string_view_literals;
  for (const auto& [ending, magic] : {std::pair(".zip"sv, "PK"sv),
                                      {".7z"sv, "7z\xbc\xaf\x27\x1c"sv},
                                      {".gz"sv, "\x1f\x8b"sv},
                                      {".zst"sv, "\x28\xb5\x2f\xfd"sv}})
    if (name.ends_with(ending)) return std::string_view(start).starts_with(magic);
  return true;
}

// Returns why a complete file is not the one of the registry; empty where nothing speaks against it.
std::string why_wrong(const PublicFile& file, const fs::path& part, const std::string& sha256) {
  const std::uintmax_t bytes = size_of(part);
  if (file.bytes && bytes != *file.bytes)
    return fmt::format("has {} bytes instead of {}", bytes, *file.bytes);
  if (file.sha256 && sha256 != *file.sha256)
    return fmt::format("has the SHA-256 {} instead of {}", sha256, *file.sha256);
  if (file.md5)
    if (const std::string md5 = md5_file_hex(part); md5 != *file.md5)
      return fmt::format("has the MD5 {} instead of {}", md5, *file.md5);
  if (!begins_as_named(part, file.name)) return "is no archive of that kind, perhaps a page of the server";
  return "";
}

bool may_pass(const Attempt& ended) {
  return ended.status < 400 || ended.status == 408 || ended.status == 429 || ended.status >= 500;
}

// Returns whether the bytes are all there, as far as is known. Otherwise notes how the last attempt ended.
bool fetch_rest(const PublicFile& file, const fs::path& part, const DownloadLimits& limits, Attempt& ended) {
  const std::uintmax_t most = file.bytes.value_or(limits.max_bytes);
  std::uintmax_t best = size_of(part);
  for (int idle = 0; idle < kMaxIdle;) {
    if (file.bytes && size_of(part) >= *file.bytes) return true;
    ended = attempt(file, part, limits);
    const std::uintmax_t now = size_of(part);
    if (ended.code == 0 && !(file.bytes && now < *file.bytes)) return true;
    if (ended.code == kMissing) throw usage_error("the program curl is missing; install it (package curl)");
    if (ended.code == kTooLarge || (ended.code == kNotWritten && now >= most)) {
      fs::remove(part);
      fail(file, fmt::format("the server sends more than {} bytes; nothing is kept", most));
    }
    if (ended.code == kNotWritten) fail(file, "cannot be written; is the disk full?");
    const bool refused = ended.code == kNoRanges || ended.status == 416;  // a range beyond the file, or any
    if (refused) fs::remove(part);
    if (!refused && !may_pass(ended)) return false;
    idle = now > best ? 0 : idle + 1;
    best = std::max(best, now);
    std::this_thread::sleep_for(std::chrono::milliseconds(10) * limits.stall_s * (1 << std::min(idle, 4)));
  }
  return false;
}

std::string why_not_fetched(const PublicFile& file, const Attempt& ended, std::uintmax_t have) {
  const std::string kept =
      have > 0 ? fmt::format("; {} bytes are kept, and the next call continues", have) : "";
  if (ended.status >= 400) return fmt::format("{} answers {}{}", *file.address, ended.status, kept);
  return fmt::format("{} does not give it (curl's exit code {}){}", *file.address, ended.code, kept);
}

}  // namespace

void PublicFile::after_reading(const JsonPlace& place) const {
  require_plain(name, place.at("name"));
  if (address && !address->starts_with("https://") && !address->starts_with("http://"))
    place.at("address").fail("must begin with https:// or http://");
  constexpr std::size_t kMd5Digits = 32;
  if (md5 && (md5->size() != kMd5Digits || md5->find_first_not_of("0123456789abcdef") != std::string::npos))
    place.at("md5").fail("expected an MD5 in hexadecimal");
}

void PublicSet::after_reading(const JsonPlace& place) const { require_plain(name, place.at("name")); }

std::vector<PublicSet> parse_public_sets(std::string_view text, const std::string& where) {
  const Json json = parse_strict_json(text, where, kSmallFileJson);
  const JsonPlace root(json, where);
  root.allow_only({"version", "sets"});
  if (root.at("version").count() != 1) root.at("version").fail("must be 1");
  return from_json<std::vector<PublicSet>>(root.at("sets"));
}

namespace fs = std::filesystem;

fs::path sets_folder() { return fs::absolute(default_cache_dir()) / "sets"; }

std::vector<FetchedSet> fetched_sets() {
  std::vector<FetchedSet> sets;
  std::error_code missing;
  for (const auto& folder : fs::directory_iterator(sets_folder(), missing)) {
    if (!folder.is_directory()) continue;
    FetchedSet& set = sets.emplace_back(FetchedSet{folder.path(), 0, folder.last_write_time()});
    for (const auto& entry : fs::recursive_directory_iterator(folder.path(), missing))
      if (entry.is_regular_file()) set.bytes += entry.file_size();
  }
  std::ranges::sort(sets, {}, &FetchedSet::last_used);
  return sets;
}

std::string download(const PublicFile& file, const fs::path& target, const DownloadLimits& limits) {
  if (fs::exists(target)) {
    const std::string sha256 = sha256_file_hex(target);
    if (why_wrong(file, target, sha256).empty()) return sha256;
    fmt::print(stderr, "{}: {}; it is fetched again\n", file.name, why_wrong(file, target, sha256));
    fs::remove(target);
  }
  if (!file.address) fail(file, "no address is known; fetch it by hand and put it there: " + target.string());
  const fs::path part = target.string() + ".part";
  std::string wrong;
  for (int round = 0; round < 2;
       ++round) {  // bytes of two answers may not fit together: once more from the start
    const bool continued = size_of(part) > 0;
    Attempt ended;
    if (!fetch_rest(file, part, limits, ended)) fail(file, why_not_fetched(file, ended, size_of(part)));
    const std::string sha256 = fs::exists(part) ? sha256_file_hex(part) : "";
    wrong = fs::exists(part) ? why_wrong(file, part, sha256) : "is empty";
    if (wrong.empty()) {
      fs::rename(part, target);
      return sha256;
    }
    fs::remove(part);
    if (!continued && round == 0 && !file.has_hash()) break;
  }
  fail(file, fmt::format("what {} sends {}; it is removed", *file.address, wrong));
}

}  // namespace aqbench::cli
