#pragma once
// signature.json: an Ed25519 signature (RFC 8032) over the bytes of sha256.txt. Hashes alone stop nobody who
// can rewrite them; a signature names who vouches for them.

#include <filesystem>
#include <string>
#include <string_view>

namespace aqbench {

inline constexpr const char* kSignatureName = "signature.json";

// Raw keys of 32 bytes. Made by: openssl genpkey -algorithm ed25519 -out key.pem;
// openssl pkey -in key.pem -pubout -out key.pub.pem
struct SigningKey {
  std::string private_key, public_key;
};
// Throws Error(input) naming the file if it is no PEM file with an unencrypted Ed25519 key of that kind, and
// the errors of read_file.
SigningKey read_signing_key(const std::filesystem::path& pem);
std::string read_public_key(const std::filesystem::path& pem);

// The bytes of signature.json for `signed_bytes`.
std::string signature_text(const SigningKey& key, std::string_view signed_bytes);

struct SignatureCheck {
  std::string public_key;  // raw, as the file names it; empty if it cannot be read
  std::string problem;     // empty: a valid signature of these bytes by that key, in canonical form
};
SignatureCheck check_signature(std::string_view text, std::string_view signed_bytes);

// SHA-256 of a raw public key, in hexadecimal: what people compare.
std::string key_fingerprint(std::string_view public_key);

}  // namespace aqbench
