#include "core/sha256.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

// FIPS 180-4 examples (NIST, "SHA256.pdf") and the digest of nothing.
TEST(Sha256, FipsVectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PartsAreHashedAsTheWhole) {
  Sha256 hash;
  hash.add("ab");
  hash.add("");
  hash.add("c");
  EXPECT_EQ(hash.hex(), sha256_hex("abc"));
}

TEST(Sha256, FileIsHashedInPieces) {
  const TemporaryDirectory directory;
  EXPECT_EQ(sha256_file_hex(directory.file("a", std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256_file_hex(directory.file("b", std::string(1 << 16, '\0'))),
            sha256_hex(std::string(1 << 16, '\0')));
  EXPECT_EQ(sha256_file_hex(directory.file("c", "")), sha256_hex(""));
}

TEST(Sha256, FilesThatCannotBeReadAreErrors) {
  const TemporaryDirectory directory;
  EXPECT_THAT(error_of(ErrorKind::io, [&] { sha256_file_hex(directory / "no"); }),
              testing::HasSubstr("no: No such file or directory"));
  EXPECT_THAT(error_of(ErrorKind::io, [&] { sha256_file_hex(directory.path()); }),
              testing::HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace aqbench
