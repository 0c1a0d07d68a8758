#include "reports/bundle/timestamp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/files.h"
#include "core/sha256.h"
#include "reports/bundle/added_evidence.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/commands.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// An authority made for the test: a root and a certificate for time stamps.
class Timestamp : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_.file("tsa.cnf",
                    "[tsa]\ndefault_tsa=t\n[t]\nserial=serial\nsigner_cert=tsa.pem\nsigner_key=tsa.key\n"
                    "certs=ca.pem\nsigner_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256,sha512\n"
                    "ess_cert_id_alg=sha256\n");
    directory_.file("ext.cnf", "extendedKeyUsage=critical,timeStamping\n");
    shell("openssl req -x509 -newkey ed25519 -nodes -keyout ca.key -out ca.pem -subj /CN=root -days 30");
    shell(
        "openssl req -x509 -newkey ed25519 -nodes -keyout other.key -out other.pem -subj /CN=other -days 30");
    shell("openssl req -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.csr -subj '/CN=clock of the test'");
    shell(
        "openssl x509 -req -in tsa.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile ext.cnf "
        "-out tsa.pem");
  }
  void shell(const std::string& command) const {
    const std::string all =
        "cd " + shell_quote(directory_.path().string()) + " && " + command + " >/dev/null 2>&1";
    ASSERT_EQ(std::system(all.c_str()), 0) << command;
  }
  std::string stamp(const std::string& digest, const std::string& how = "-sha256 -cert") const {
    shell("openssl ts -query -digest " + digest + " " + how +
          " -out q.tsq && "
          "openssl ts -reply -config tsa.cnf -queryfile q.tsq -out a.tsr");
    return read_file(directory_ / "a.tsr");
  }
  TemporaryDirectory directory_;
};

TEST_F(Timestamp, IsOfItsDigestAndBySomebody) {
  const std::string digest = sha256_hex("the root");
  const std::string answer = stamp(digest);
  const TimestampCheck plain = check_timestamp(answer, digest, std::nullopt);
  EXPECT_EQ(plain.problem, "");
  EXPECT_THAT(plain.authority, HasSubstr("clock of the test"));
  EXPECT_THAT(plain.utc, ::testing::MatchesRegex("20[0-9-]+T[0-9:]+Z"));
  EXPECT_FALSE(plain.certificate_checked);
  EXPECT_TRUE(check_timestamp(answer, digest, directory_ / "ca.pem").certificate_checked);
  EXPECT_THAT(check_timestamp(answer, digest, directory_ / "other.pem").problem,
              HasSubstr("does not lead to"));
  EXPECT_THAT(check_timestamp(answer, sha256_hex("x"), std::nullopt).problem,
              HasSubstr("is not of this bundle"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { check_timestamp(answer, digest, directory_ / "tsa.cnf"); }),
              HasSubstr("tsa.cnf: holds no certificates"));
  // Without the certificate nothing can be said about who signed.
  EXPECT_THAT(check_timestamp(stamp(digest, "-sha256"), digest, std::nullopt).problem, HasSubstr("-cert"));
  const std::string sha512(128, 'a');
  EXPECT_THAT(check_timestamp(stamp(sha512, "-sha512 -cert"), sha512, std::nullopt).problem,
              HasSubstr("is not of this bundle"));
}

TEST_F(Timestamp, DamageIsFound) {
  const std::string digest = sha256_hex("the root");
  const std::string answer = stamp(digest);
  for (std::size_t i = 0; i < answer.size(); i += 11)
    EXPECT_NE(check_timestamp(answer.substr(0, i), digest, std::nullopt).problem, "") << i;
  EXPECT_NE(check_timestamp(answer + "x", digest, std::nullopt).problem, "");
  std::string late = answer;  // another time, the same signature
  const std::size_t at = late.find("20", late.find(std::string("\x18\x0f", 2)));
  ASSERT_NE(at, late.npos);
  late[at + 1] = '1';
  EXPECT_NE(check_timestamp(late, digest, std::nullopt).problem, "");
}

TEST_F(Timestamp, InABundle) {
  Results results = synthetic_results();
  const auto bundle = synthetic_bundle(directory_.path(), results);
  write_file(bundle / kTimestampName, stamp(root_digest(results)));
  const VerifyReport report = verify_bundle(bundle, std::nullopt, directory_ / "ca.pem");
  EXPECT_TRUE(report.ok()) << render_verify(report);
  EXPECT_THAT(render_verify(report), HasSubstr("by CN = clock of the test\n"));
  EXPECT_THAT(render_verify(verify_bundle(bundle)), HasSubstr("was not checked (--tsa-ca)"));
  EXPECT_FALSE(verify_bundle(bundle, std::nullopt, directory_ / "other.pem").ok());
  write_file(bundle / kTimestampName, stamp(sha256_hex("another")));
  ASSERT_EQ(verify_bundle(bundle).findings.size(), 1u);
  EXPECT_EQ(verify_bundle(bundle).findings[0].file, kTimestampName);
  // The digest holds no dates: a run cannot be told as a later one than its stamp.
  results.run.finished_utc = "2099-01-01T00:00:00Z";
  finalise_bundle(bundle, results);
  write_file(bundle / kTimestampName, stamp(root_digest(results)));
  EXPECT_THAT(render_verify(verify_bundle(bundle)),
              HasSubstr("the run ended at 2099-01-01T00:00:00Z: later"));
  EXPECT_EQ(problem_of_stamped_time("2026-01-01T10:30:00Z", "2026-01-01T11:00:00Z"), "") << "two clocks";
  EXPECT_NE(problem_of_stamped_time("2026-01-01T09:30:00Z", "2026-01-01T11:00:00Z"), "");
  finalise_bundle(bundle, results);
  EXPECT_FALSE(std::filesystem::exists(bundle / kTimestampName)) << "it was of what the bundle held before";
}

}  // namespace
}  // namespace aqbench
