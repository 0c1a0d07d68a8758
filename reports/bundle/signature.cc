#include "reports/bundle/signature.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyBytes = 32, kSignatureBytes = 64;
constexpr std::uintmax_t kMaxPemBytes = 1 << 16;

struct FreeOpenSsl {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
template <class Object>
using OpenSsl = std::unique_ptr<Object, FreeOpenSsl>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

// OpenSSL would ask on the terminal for the passphrase of an encrypted key.
int no_passphrase(char*, int, int, void*) { return -1; }

[[noreturn]] void refuse_key(const fs::path& pem, const char* what) {
  ERR_clear_error();
  throw input_error("{}: is not an unencrypted Ed25519 {} key in PEM form", pem.string(), what);
}

[[noreturn]] void refuse_file(const fs::path& file, const std::string& what) {
  throw Error(ErrorKind::input, file.string() + ": " + what, file.string());
}

OpenSsl<EVP_PKEY> read_pem(const fs::path& pem, const char* what,
                           EVP_PKEY* (*read)(BIO*, EVP_PKEY**, pem_password_cb*, void*)) {
  const std::string text = read_file(pem, kMaxPemBytes);
  // With several keys it would be unclear which one counts.
  constexpr std::string_view kBegin = "-----BEGIN ";
  std::size_t blocks = 0;
  for (std::size_t at = text.find(kBegin); at != text.npos; at = text.find(kBegin, at + 1)) ++blocks;
  if (blocks > 1) refuse_file(pem, fmt::format("holds {} keys; give a file with one", blocks));
  const OpenSsl<BIO> bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  OpenSsl<EVP_PKEY> key(bio ? read(bio.get(), nullptr, no_passphrase, nullptr) : nullptr);
  if (!key || EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519) refuse_key(pem, what);
  return key;
}

std::string raw_public_key(EVP_PKEY* key) {
  std::string raw(kKeyBytes, '\0');
  std::size_t size = raw.size();
  if (EVP_PKEY_get_raw_public_key(key, bytes_of(raw), &size) != 1 || size != kKeyBytes) raw.clear();
  return raw;
}

// Empty unless `text` is exactly the base64 text of `bytes` bytes.
std::string from_base64(const std::string& text, std::size_t bytes) {
  if (text.size() != 4 * ((bytes + 2) / 3)) return "";
  std::string raw(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(bytes_of(raw), bytes_of(std::string_view(text)), static_cast<int>(text.size())) < 0)
    return "";
  raw.resize(bytes);
  return base64_text(raw) == text ? raw : "";
}

// Returns whether a key is one of the points of order 1, 2, 4 or 8, in any encoding: y as below (0, 1, two of
// order 8, p - 1, and 0 and 1 as p and p + 1), with either sign of x.
bool has_small_order(std::string public_key) {
  static const std::set<std::string> ys = [] {
    std::set<std::string> points;
    const auto add = [&](char first, char middle, char last) {
      std::string y(kKeyBytes, middle);
      y.front() = first;
      y.back() = last;
      points.insert(y);
    };
    add(0, 0, 0);
    add(1, 0, 0);
    for (const char first : {'\xec', '\xed', '\xee'}) add(first, '\xff', '\x7f');
    points.insert(from_base64("JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=", kKeyBytes));
    points.insert(from_base64("xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o=", kKeyBytes));
    return points;
  }();
  public_key.back() = static_cast<char>(public_key.back() & 0x7f);
  return ys.contains(public_key);
}

std::string signature_document(const std::string& public_key, const std::string& signature) {
  const Json json = {{"schema_version", 1},
                     {"algorithm", "Ed25519"},
                     {"signs", "sha256.txt"},
                     {"public_key", base64_text(public_key)},
                     {"signature", base64_text(signature)}};
  return json.dump(1) + '\n';
}

// A public key of small order never signs anything: every text has a signature by it that anybody can write
// down.
bool is_good_signature(const std::string& public_key, const std::string& signature,
                       std::string_view signed_bytes) {
  if (public_key.size() != kKeyBytes || signature.size() != kSignatureBytes || has_small_order(public_key))
    return false;
  const OpenSsl<EVP_PKEY> key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(public_key), public_key.size()));
  const OpenSsl<EVP_MD_CTX> context(EVP_MD_CTX_new());
  const bool good = key && context &&
                    EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
                    EVP_DigestVerify(context.get(), bytes_of(std::string_view(signature)), signature.size(),
                                     bytes_of(signed_bytes), signed_bytes.size()) == 1;
  ERR_clear_error();
  return good;
}

std::string raw_signature(const SigningKey& key, std::string_view signed_bytes) {
  const OpenSsl<EVP_PKEY> private_key(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, bytes_of(std::string_view(key.private_key)), key.private_key.size()));
  const OpenSsl<EVP_MD_CTX> context(EVP_MD_CTX_new());
  std::string signature(kSignatureBytes, '\0');
  std::size_t size = signature.size();
  if (!private_key || !context ||
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, private_key.get()) != 1 ||
      EVP_DigestSign(context.get(), bytes_of(signature), &size, bytes_of(signed_bytes),
                     signed_bytes.size()) != 1 ||
      size != kSignatureBytes)
    throw Error(ErrorKind::io, "OpenSSL could not sign");
  return signature;
}

constexpr std::uintmax_t kMaxTrustBytes = std::uintmax_t{1} << 20;

// Returns $VARIABLE/aqbench, else ~/BELOW_HOME/aqbench; nullopt where neither is set.
std::optional<fs::path> user_folder(const char* variable, const char* below_home) {
  const char* const folder = std::getenv(variable);
  if (folder != nullptr && *folder != '\0') return fs::path(folder) / "aqbench";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / below_home / "aqbench";
  return std::nullopt;
}

std::optional<fs::path> notes_folder() {
  const auto folder = user_folder("XDG_STATE_HOME", ".local/state");
  if (!folder) return std::nullopt;
  return *folder / "begun";
}

// A command like ./run.sh is another program in another folder. So the folder counts, too.
std::string name_of_note(const fs::path& journal) {
  const std::string text = read_text_file(journal);
  return sha256_hex(fs::current_path().string() + "\n" + text.substr(0, text.find('\n') + 1));
}

}  // namespace

SigningKey read_signing_key(const fs::path& pem) {
  const auto key = read_pem(pem, "private", PEM_read_bio_PrivateKey);
  SigningKey signing{std::string(kKeyBytes, '\0'), raw_public_key(key.get())};
  std::size_t size = kKeyBytes;
  if (EVP_PKEY_get_raw_private_key(key.get(), bytes_of(signing.private_key), &size) != 1 ||
      size != kKeyBytes || signing.public_key.empty())
    refuse_key(pem, "private");
  return signing;
}

std::string read_public_key(const fs::path& pem) {
  const auto key = read_pem(pem, "public", PEM_read_bio_PUBKEY);
  std::string raw = raw_public_key(key.get());
  if (raw.empty()) refuse_key(pem, "public");
  if (has_small_order(raw)) refuse_file(pem, "is not a key: its point has a small order");
  return raw;
}

std::string signature_text(const SigningKey& key, std::string_view signed_bytes) {
  return signature_document(key.public_key, raw_signature(key, signed_bytes));
}

SignatureCheck check_signature(std::string_view text, std::string_view signed_bytes) {
  SignatureCheck check;
  try {
    const Json json = parse_strict_json(text, kSignatureName, {1 << 16, 2});
    const JsonPlace root(json, kSignatureName);
    check.public_key = from_base64(root.at("public_key").text(), kKeyBytes);
    const std::string signature = from_base64(root.at("signature").text(), kSignatureBytes);
    if (check.public_key.empty() || signature.empty() ||
        signature_document(check.public_key, signature) != text)
      check.problem = "is not a signature as aqbench writes it";
    else if (has_small_order(check.public_key))
      check.problem = "is by a key of small order, which anybody can sign with";
    else if (!is_good_signature(check.public_key, signature, signed_bytes))
      check.problem = "is not a signature of sha256.txt by the key it names";
  } catch (const Error&) {
    check.problem = "is not a signature as aqbench writes it";
  }
  return check;
}

std::string key_fingerprint(std::string_view public_key) { return sha256_hex(public_key); }

std::vector<TrustedKey> read_trust_file(const fs::path& path) {
  const std::string text = read_text_file(path, kMaxTrustBytes);
  std::vector<TrustedKey> trusted;
  std::size_t number = 0;
  for (const std::string_view line : split_at(text, '\n')) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t blank = line.find(' ');
    const std::string_view word = blank == line.npos ? "" : line.substr(line.find_last_of(' ') + 1);
    TrustedKey key{std::string(line.substr(0, blank)), std::string(word)};
    const bool blanks_only =
        blank != line.npos && line.find_first_not_of(' ', blank) == line.size() - word.size();
    if (key.name.empty() || !is_sha256_hex(word) || !blanks_only || printable(key.name) != key.name)
      refuse_file(path, fmt::format("line {}: expected NAME FINGERPRINT (64 hexadecimal digits)", number));
    if (const std::string other = name_of_key(trusted, key.fingerprint); !other.empty())
      refuse_file(path, fmt::format("line {}: this key is {}'s already", number, other));
    trusted.push_back(std::move(key));
  }
  return trusted;
}

std::optional<fs::path> default_trust_file() {
  const auto folder = user_folder("XDG_CONFIG_HOME", ".config");
  if (!folder || !is_file(*folder / "trusted_keys.txt")) return std::nullopt;
  return *folder / "trusted_keys.txt";
}

std::string name_of_key(const std::vector<TrustedKey>& trusted, std::string_view fingerprint) {
  const auto found = std::ranges::find(trusted, fingerprint, &TrustedKey::fingerprint);
  return found == trusted.end() ? "" : found->name;
}

std::string remember_own_journal(const fs::path& journal) {
  const auto folder = notes_folder();
  if (!folder) return "neither XDG_STATE_HOME nor HOME is set";
  try {
    std::error_code error;
    fs::create_directories(folder->parent_path(), error);
    if (error) return fmt::format("{}: {}", folder->parent_path().string(), error.message());
    if (::mkdir(folder->c_str(), 0700) != 0 && errno != EEXIST)
      return fmt::format("{}: {}", folder->string(), std::strerror(errno));
    write_file(*folder / name_of_note(journal), utc_now() + "\n");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

bool is_own_journal(const fs::path& journal) {
  const auto folder = notes_folder();
  struct stat status {};
  if (!folder || ::lstat(folder->c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return false;
  return is_file(*folder / name_of_note(journal));
}

}  // namespace aqbench
