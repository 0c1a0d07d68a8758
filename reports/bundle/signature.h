#pragma once
// signature.json: an Ed25519 signature (RFC 8032) over the bytes of sha256.txt. Hashes alone do not stop
// those who can compute them again; a signature names who vouches for them.

#include <filesystem>
#include <string>
#include <string_view>

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

}  // namespace aqbench
