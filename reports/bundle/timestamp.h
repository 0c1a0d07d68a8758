#pragma once
// timestamp.tsr: the answer of a time-stamping authority (RFC 3161), which says that a bundle was there at a
// time. What is stamped is the root digest itself, so that openssl asks for it and checks it without this
// program:
//   openssl ts -query -digest ROOT_DIGEST -sha256 -cert -out q.tsq
//   openssl ts -verify -digest ROOT_DIGEST -in timestamp.tsr -CAfile CA.pem
// For a comparison, which has no root digest, it is the SHA-256 of sha256.txt.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace aqbench {

// The name of the file in a bundle, which sha256.txt does not list.
inline constexpr const char* kTimestampName = "timestamp.tsr";

// What a time stamp says.
struct TimestampCheck {
  std::string problem;               // empty: it is of this digest and its signature holds
  std::string utc;                   // "2026-01-31T12:00:00Z"
  std::string authority;             // the subject of the certificate that signed it
  bool certificate_checked = false;  // against the certificates that the user gave
};

// Checks the bytes of an answer: granted, SHA-256 of `digest` (hexadecimal), signed by the certificate in it.
// With `ca_file` (PEM) that certificate must lead to one in that file and be made for time stamps.
TimestampCheck check_timestamp(std::string_view answer, const std::string& digest,
                               const std::optional<std::filesystem::path>& ca_file);

}  // namespace aqbench
