#pragma once
// signature.json: an Ed25519 signature (RFC 8032) over the bytes of sha256.txt. Hashes alone do not stop
// those who can compute them again; a signature names who vouches for them. And whom a user trusts: people by
// name, and the bundles that his own processes began.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// The name of the file in a bundle.
inline constexpr const char* kSignatureName = "signature.json";

// A pair of raw keys of 32 bytes. To make the files: openssl genpkey -algorithm ed25519 -out key.pem; openssl
// pkey -in key.pem -pubout -out key.pub.pem
struct SigningKey {
  std::string private_key, public_key;
};
// Reads a private key, and a raw public key. Throw Error(input) naming the file if it is no PEM file with one
// unencrypted Ed25519 key of that kind and nothing else, and as read_file().
SigningKey read_signing_key(const std::filesystem::path& pem);
std::string read_public_key(const std::filesystem::path& pem);

// Returns the bytes of signature.json for `signed_bytes`.
std::string signature_text(const SigningKey& key, std::string_view signed_bytes);

// What checking a signature found.
struct SignatureCheck {
  std::string public_key;  // raw, as the file names it; empty if it cannot be read
  std::string problem;     // empty: the file is a valid signature of these bytes, in canonical form
};
// Checks the text of a signature.json against the bytes it should sign.
SignatureCheck check_signature(std::string_view text, std::string_view signed_bytes);

// Returns the SHA-256 of a raw public key in hexadecimal, which people compare.
std::string key_fingerprint(std::string_view public_key);

// A person and one of his keys. A person may have several.
struct TrustedKey {
  std::string name;
  std::string fingerprint;  // key_fingerprint(), as verify prints it
};

// Reads a file of lines "NAME FINGERPRINT"; empty lines and those that begin with "#" are comments. Throws
// Error(input) naming file and line for anything else and for a key of two people, and as read_file().
std::vector<TrustedKey> read_trust_file(const std::filesystem::path& path);

// Returns the user's own trust file, $XDG_CONFIG_HOME/aqbench/trusted_keys.txt, else
// ~/.config/aqbench/trusted_keys.txt; none where it is not there.
std::optional<std::filesystem::path> default_trust_file();

// Returns the name of the person whose key this is; "" for an unknown key.
std::string name_of_key(const std::vector<TrustedKey>& trusted, std::string_view fingerprint);

// Notes in the user's own folder ($XDG_STATE_HOME/aqbench/begun, else ~/.local/state/aqbench/begun, mode
// 0700) that a process of his wrote the first line of this journal, from this working folder. Returns "", or
// why it could not be noted.
std::string remember_own_journal(const std::filesystem::path& journal);

// Returns whether remember_own_journal() noted a journal with this first line from this working folder. False
// too where another user could write into the folder of these notes.
bool is_own_journal(const std::filesystem::path& journal);

}  // namespace aqbench
