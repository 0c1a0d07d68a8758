#include "harness/running/hidden_places.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/sandbox/sandbox.h"
#include "core/text.h"
#include "harness/running/journal.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> kHistories = {".git", ".hg",    ".svn",   ".bzr",
                                                        ".jj",  "_darcs", ".pijul", ".dvc"};
constexpr std::array<std::string_view, 35> kCredentialFiles = {"credentials",     "credentials.toml",
                                                               "credentials.db",  "credentials.yaml",
                                                               "credentials.yml", "credentials.tfrc.json",
                                                               "auth.json",       "secrets.json",
                                                               "secrets.toml",    "secrets.yaml",
                                                               "secrets.yml",     "token",
                                                               "stored_tokens",   "access_tokens.db",
                                                               ".vault-token",    ".env",
                                                               ".envrc",          ".netrc",
                                                               "_netrc",          ".git-credentials",
                                                               ".pypirc",         ".npmrc",
                                                               ".pgpass",         ".my.cnf",
                                                               ".dockercfg",      ".s3cfg",
                                                               ".boto",           ".cdsapirc",
                                                               "kaggle.json",     "rclone.conf",
                                                               "id_rsa",          "id_dsa",
                                                               "id_ecdsa",        "id_ed25519",
                                                               "id_ed25519_sk"};
// Names that say it together with that of their folder.
constexpr std::array<std::string_view, 3> kCredentialEndings = {"/.docker/config.json", "/gh/hosts.yml",
                                                                "/glab-cli/config.yml"};
constexpr std::array<std::string_view, 6> kCredentialFolders = {".ssh",   ".gnupg", ".aws",
                                                                ".azure", ".kube",  "keyrings"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Returns whether a file of this path holds credentials, by its name: also ".env.production", and no example.
bool is_credential_file(std::string_view path, std::string_view name) {
  constexpr std::array<std::string_view, 4> kExamples = {".env.example", ".env.sample", ".env.template",
                                                         ".env.dist"};
  return is_one_of(name, kCredentialFiles) || name.ends_with("credentials.json") ||
         (name.starts_with(".env.") && !is_one_of(name, kExamples)) ||
         std::ranges::any_of(kCredentialEndings, [&](std::string_view end) { return path.ends_with(end); });
}

bool is_system_folder(const fs::path& folder) {
  constexpr std::array kSystem = {"/usr", "/etc", "/proc", "/sys", "/dev", "/nix", "/gnu", "/snap"};
  constexpr std::array kOfUsers = {"/usr/local", "/usr/src"};
  const auto in_one_of = [&](const auto& folders) {
    return std::ranges::any_of(folders, [&](const char* one) { return lies_in(folder, one); });
  };
  return in_one_of(kSystem) && !in_one_of(kOfUsers);
}

// Returns whether a journal begins as aqbench writes it: anyone may use the name.
bool is_journal(const fs::path& file) {
  constexpr std::string_view start = R"({"journal":"aqbench")";
  std::array<char, start.size()> bytes{};
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) return false;  // opening a FIFO would wait
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return std::string_view(bytes.data(), static_cast<std::size_t>(stream.gcount())) == start;
}

// The names in a folder that decide what it is.
struct Signs {
  bool journal = false, calibration = false, truth = false;
  bool head = false, objects = false, refs = false;  // of a git repository under any name

  void see(std::string_view name) {
    journal = journal || name == kJournalFile;
    calibration = calibration || name == "calibration.json";
    truth = truth || name == "truth";
    head = head || name == "HEAD";
    objects = objects || name == "objects";
    refs = refs || name == "refs";
  }
};

class HiddenSearch {
 public:
  explicit HiddenSearch(std::size_t max_names) : max_names_(max_names) {}

  void look_into(const fs::path& root) {
    std::vector<fs::path> folders = {root};
    while (!folders.empty()) {
      const fs::path folder = std::move(folders.back());
      folders.pop_back();
      if (is_system_folder(folder) || !seen_.insert(folder.native()).second) continue;
      look_at(folder, root, folders);
    }
  }
  HiddenPlaces take() { return std::move(found_); }

 private:
  [[noreturn]] static void fail(const fs::path& folder, const std::string& why) {
    throw method_error("{}: cannot be searched for truths and earlier bundles, which would not be hidden: {}",
                       printable(folder.string()), why);
  }

  // Adds the folders in it to `folders`, unless all of it is hidden.
  void look_at(const fs::path& folder, const fs::path& root, std::vector<fs::path>& folders) {
    Signs signs;
    const std::size_t before = folders.size();
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      if (++names_ > max_names_)
        fail(root, fmt::format("it holds more than {} names, the limit", max_names_));
      const std::string& path = entry->path().native();
      const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
      signs.see(name);
      std::error_code unknown;
      const bool is_folder = !entry->is_symlink(unknown) && entry->is_directory(unknown);
      if (is_one_of(name, kHistories) || (is_folder && is_one_of(name, kCredentialFolders)) ||
          (!is_folder && is_credential_file(path, name)))
        found_.closed.push_back(entry->path());
      else if (is_folder)
        folders.push_back(entry->path());
    }
    // What this user cannot read, the method cannot either.
    if (error && error != std::errc::permission_denied && error != std::errc::no_such_file_or_directory &&
        error != std::errc::not_a_directory)
      fail(folder, error.message());
    if (hides(folder, signs)) folders.resize(before);
  }

  // Notes what the signs tell. Returns whether it is all of the folder.
  bool hides(const fs::path& folder, const Signs& signs) {
    if (signs.journal && is_journal(folder / kJournalFile)) {
      found_.hidden.push_back(folder);
      found_.hidden.emplace_back(folder.native() + ".tasks");
      return true;
    }
    if (signs.head && signs.objects && signs.refs) {
      found_.closed.push_back(folder);
      return true;
    }
    if (signs.calibration && signs.truth) found_.hidden.push_back(folder / "truth");
    return false;
  }

  std::size_t max_names_, names_ = 0;
  HiddenPlaces found_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

HiddenPlaces hidden_places_in(const std::vector<fs::path>& folders, std::size_t max_names) {
  HiddenSearch search(max_names);
  for (const fs::path& folder : folders) {
    std::error_code missing;
    const fs::path real = fs::canonical(folder, missing);
    if (!missing) search.look_into(real);
  }
  return search.take();
}

std::vector<fs::path> histories_above(const std::vector<fs::path>& folders) {
  std::vector<fs::path> histories;
  std::unordered_set<std::string> seen;
  for (const fs::path& folder : folders) {
    std::error_code unknown;
    for (fs::path above = fs::weakly_canonical(folder, unknown);
         above != above.parent_path() && seen.insert(above.native()).second; above = above.parent_path())
      for (const std::string_view name : kHistories)
        if (fs::exists(fs::symlink_status(above / name, unknown))) histories.push_back(above / name);
  }
  return histories;
}

}  // namespace aqbench
