#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/files.h"
#include "core/text.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/commands.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

std::string hex(const std::string& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    constexpr const char* digits = "0123456789abcdef";
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

bool openssl(const std::string& arguments) {
  return std::system(("openssl " + arguments + " >/dev/null 2>&1").c_str()) == 0;
}

class Signature : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  std::string at(const char* name) const { return shell_quote((directory_ / name).string()); }
  void SetUp() override {
    ASSERT_TRUE(openssl("genpkey -algorithm ed25519 -out " + at("key.pem")));
    ASSERT_TRUE(openssl("pkey -in " + at("key.pem") + " -pubout -out " + at("key.pub.pem")));
  }
};

TEST_F(Signature, SignsAndChecksAndOpenSslAgrees) {
  const SigningKey key = read_signing_key(directory_ / "key.pem");
  EXPECT_EQ(key.public_key, read_public_key(directory_ / "key.pub.pem"));
  const std::string text = signature_text(key, "the list");
  EXPECT_EQ(text, signature_text(key, "the list"));  // Ed25519 is deterministic
  const SignatureCheck check = check_signature(text, "the list");
  EXPECT_EQ(check.problem, "");
  EXPECT_EQ(check.public_key, key.public_key);
  EXPECT_NE(check_signature(text, "the lisT").problem, "");
  // The recipe of the documentation.
  directory_.file("list", "the list");
  directory_.file("signature.json", text);
  const std::string decode = "grep '\"signature\"' " + at("signature.json") +
                             " | cut -d'\"' -f4 | openssl base64 -d -A -out " + at("raw");
  ASSERT_EQ(std::system(decode.c_str()), 0);
  EXPECT_TRUE(openssl("pkeyutl -verify -pubin -inkey " + at("key.pub.pem") + " -rawin -in " + at("list") +
                      " -sigfile " + at("raw")));
}

TEST_F(Signature, EveryChangedByteOfTheFileIsFound) {
  const std::string text = signature_text(read_signing_key(directory_ / "key.pem"), "x");
  for (std::size_t i = 0; i < text.size(); ++i)
    for (const int bit : {1, 4, 0x20}) {
      std::string bad = text;
      bad[i] = static_cast<char>(bad[i] ^ bit);
      EXPECT_NE(check_signature(bad, "x").problem, "") << i << " " << bit;
    }
  for (const std::string& bad : {std::string(), std::string("{}"), std::string(100000, '['), text + " "})
    EXPECT_NE(check_signature(bad, "x").problem, "");
}

TEST_F(Signature, OtherKeysAreRefusedWithTheirFilesName) {
  directory_.file("rfc.pem", kSigningPem);
  EXPECT_EQ(hex(read_signing_key(directory_ / "rfc.pem").public_key),
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025");
  ASSERT_TRUE(openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out " + at("rsa.pem")));
  ASSERT_TRUE(openssl("pkey -aes256 -passout pass:x -in " + at("key.pem") + " -out " + at("locked.pem")));
  directory_.file("text.pem", "no key");
  for (const char* name : {"rsa.pem", "locked.pem", "text.pem", "key.pub.pem"})
    EXPECT_EQ(error_of(ErrorKind::input, [&] { read_signing_key(directory_ / name); }),
              (directory_ / name).string() + ": is not an unencrypted Ed25519 private key in PEM form");
  EXPECT_NE(error_of(ErrorKind::input, [&] { read_public_key(directory_ / "key.pem"); }).find("public key"),
            std::string::npos);
}

// A key of small order, of which the identity is one: R = the key or the identity and S = 0 "sign" every
// text.
TEST_F(Signature, OfAKeyOfSmallOrderSaysNothing) {
  const auto from_hex = [](const std::string& text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i += 2)
      bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
    return bytes;
  };
  // SubjectPublicKeyInfo of Ed25519 (RFC 8410): a fixed head, then the key.
  const auto pem_of = [&](const std::string& key) {
    return "-----BEGIN PUBLIC KEY-----\n" + base64_text(from_hex("302a300506032b6570032100") + key) +
           "\n-----END PUBLIC KEY-----\n";
  };
  // The two y of order 8: eight times these points, computed with Python's integers, is the identity.
  const std::string order_8 = from_hex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05");
  const std::string order_8_too =
      from_hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
  std::string identity(32, '\0'), minus_one(32, '\xff');
  identity[0] = 1;
  minus_one.front() = '\xec';
  minus_one.back() = '\x7f';
  std::string identity_with_sign = identity;
  identity_with_sign.back() = '\x80';
  const std::string zero(32, '\0');
  const std::string real = read_signing_key(directory_ / "key.pem").public_key;
  for (const std::string& key : {zero, identity, identity_with_sign, minus_one, order_8, order_8_too}) {
    const std::string text =
        "{\n \"schema_version\": 1,\n \"algorithm\": \"Ed25519\",\n \"signs\": \"sha256.txt\",\n"
        " \"public_key\": \"" +
        base64_text(key) + "\",\n \"signature\": \"" + base64_text(identity + zero) + "\"\n}\n";
    EXPECT_EQ(check_signature(text, "anything").problem,
              "is by a key of small order, which anybody can sign with");
    directory_.file("small.pem", pem_of(key));
    EXPECT_NE(error_of(ErrorKind::input, [&] { read_public_key(directory_ / "small.pem"); }), "(no error)");
  }
  EXPECT_EQ(pem_of(real), read_file(directory_ / "key.pub.pem"));
}

TEST_F(Signature, AFileWithSeveralKeysIsRefused) {
  ASSERT_TRUE(openssl("genpkey -algorithm ed25519 -out " + at("k2")));
  for (const char* name : {"key.pem", "key.pub.pem"})
    directory_.file("two.pem", read_file(directory_ / name) + read_file(directory_ / name));
  const std::string two = (directory_ / "two.pem").string() + ": holds 2 keys; give a file with one";
  EXPECT_EQ(error_of(ErrorKind::input, [&] { read_public_key(directory_ / "two.pem"); }), two);
  directory_.file("two.pem", read_file(directory_ / "key.pem") + read_file(directory_ / "k2"));
  EXPECT_EQ(error_of(ErrorKind::input, [&] { read_signing_key(directory_ / "two.pem"); }), two);
}

TEST_F(Signature, OfABundle) {
  Results results = synthetic_results();
  const fs::path bundle = synthetic_bundle(directory_.path(), results);
  const SigningKey key = read_signing_key(directory_ / "key.pem");
  EXPECT_FALSE(verify_bundle(bundle, key.public_key).ok());  // not signed
  finalise_bundle(bundle, results, &key);
  EXPECT_TRUE(verify_bundle(bundle).ok());
  const VerifyReport good = verify_bundle(bundle, key.public_key);
  EXPECT_TRUE(good.ok()) << render_verify(good);
  EXPECT_EQ(good.signed_by, key_fingerprint(key.public_key));
  const VerifyReport other = verify_bundle(bundle, std::string(32, 'k'));
  ASSERT_EQ(other.findings.size(), 1u);
  EXPECT_EQ(other.findings[0].file, kSignatureName);
  // Whoever changes a file and all hashes cannot sign for it.
  const std::string list = read_file(bundle / kHashListName);
  std::vector<HashLine> lines = parse_hash_list(list).lines;
  lines[0].sha256[0] = lines[0].sha256[0] == 'a' ? 'b' : 'a';
  write_file(bundle / kHashListName, hash_list_text(lines));
  bool named = false;
  for (const Finding& finding : verify_bundle(bundle).findings) named |= finding.file == kSignatureName;
  EXPECT_TRUE(named);
  // Finalised again without the key, the old signature is gone.
  finalise_bundle(bundle, results);
  EXPECT_FALSE(fs::exists(bundle / kSignatureName));
}

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(TrustFile, NamesPeopleAndTheirKeys) {
  const TemporaryDirectory directory;
  const std::string a(64, 'a'), b(64, 'b');
  const auto read = [&](const std::string& text) { return read_trust_file(directory.file("keys", text)); };
  const auto trusted = read("# friends\n\nann " + a + "\nann   " + b + "\n");
  ASSERT_EQ(trusted.size(), 2u);
  EXPECT_EQ(name_of_key(trusted, b), "ann");
  EXPECT_EQ(name_of_key(trusted, std::string(64, 'c')), "");
  for (const std::string& wrong : {std::string("ann"), "ann " + a.substr(1), "ann x " + a, " " + a,
                                   "ann " + a + " ", "a\033[2J " + a, "ann " + std::string(64, 'G')})
    EXPECT_THAT(error_of(ErrorKind::input, [&] { read("# x\n" + wrong + "\n"); }),
                HasSubstr("/keys: line 2: expected NAME FINGERPRINT"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read("ann " + a + "\nbob " + a + "\n"); }),
              EndsWith("line 2: this key is ann's already"));
}

TEST(OwnJournals, AreKnownByTheirFirstLineAndFolder) {
  const TemporaryDirectory directory;
  const fs::path here = fs::current_path();
  ::setenv("XDG_STATE_HOME", (directory / "state").c_str(), 1);
  const fs::path journal = directory.file("journal", "head\nrecord\n");
  EXPECT_FALSE(is_own_journal(journal));
  EXPECT_EQ(remember_own_journal(journal), "");
  EXPECT_TRUE(is_own_journal(journal));
  directory.file("journal", "head\nrecord\nanother\n");
  EXPECT_TRUE(is_own_journal(journal)) << "a sweep that went on";
  directory.file("journal", "hEad\nrecord\n");
  EXPECT_FALSE(is_own_journal(journal)) << "a stranger's head";
  directory.file("journal", "head\n");
  fs::current_path(directory.path());
  EXPECT_FALSE(is_own_journal(journal)) << "./run.sh is another program here";
  fs::current_path(here);
  // Notes that others could have written say nothing.
  EXPECT_TRUE(is_own_journal(journal));
  fs::permissions(directory / "state/aqbench/begun", fs::perms::all);
  EXPECT_FALSE(is_own_journal(journal));
  ::setenv("XDG_STATE_HOME", directory.file("file", "").c_str(), 1);
  EXPECT_THAT(remember_own_journal(journal), HasSubstr("Not a directory"));
  ::unsetenv("XDG_STATE_HOME");
}

}  // namespace

}  // namespace aqbench
