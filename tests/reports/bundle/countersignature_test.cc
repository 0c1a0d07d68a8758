#include "reports/bundle/countersignature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/files.h"
#include "core/sha256.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/commands.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CountersignatureFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    bundle_ = synthetic_bundle(directory_.path(), results_);
    own_ = countersigned_bundle(results_, read_file(bundle_ / kHashListName));
    for (const char* const name : {"ann", "bob", "bob2"}) {
      const std::string pem = shell_quote((directory_ / name).string());
      ASSERT_EQ(std::system(("openssl genpkey -algorithm ed25519 -out " + pem + " >/dev/null 2>&1").c_str()),
                0);
    }
  }
  SigningKey key(const char* name) const { return read_signing_key(directory_ / name); }
  std::string fingerprint(const char* name) const { return key_fingerprint(key(name).public_key); }
  void sign(const char* name, const std::vector<std::string>& cases) {
    add_countersignature(bundle_, own_, key(name), cases, "program", results_.run.finished_utc);
  }
  std::vector<std::string> all() const { return {own_.ok_cases.begin(), own_.ok_cases.end()}; }
  fs::path file(const char* name, const char* end) const {
    return bundle_ / kCountersignatureFolder / (fingerprint(name) + end);
  }

  TemporaryDirectory directory_;
  Results results_ = synthetic_results();
  fs::path bundle_;
  CountersignedBundle own_;
};

TEST_F(CountersignatureFiles, AreCheckedByVerifyAndByOpenSsl) {
  sign("ann", {all()[2]});
  sign("ann", {all()[0]});  // on another day
  sign("bob", all());
  const VerifyReport report = verify_bundle(bundle_);
  EXPECT_TRUE(report.ok()) << render_verify(report);
  ASSERT_THAT(report.added.countersignatures, SizeIs(2));
  for (const Countersignature& one : report.added.countersignatures)
    if (one.fingerprint == fingerprint("ann")) {
      EXPECT_THAT(one.reproduced, ElementsAre(all()[0], all()[2]));
    }
  const std::string text = render_verify(report, false, {{"ann", fingerprint("ann")}});
  EXPECT_THAT(text, HasSubstr(results_.run.finished_utc + " by ann, key " + fingerprint("ann") +
                              ": reproduced 2 of 4 cases\n"));
  EXPECT_THAT(text, HasSubstr("by key " + fingerprint("bob") + ", unknown here: reproduced 4 of 4 cases\n"));
  const auto quoted = [&](const char* end) { return shell_quote(file("bob", end).string()); };
  const std::string check = "openssl pkeyutl -verify -pubin -inkey " + quoted(".pub.pem") + " -rawin -in " +
                            quoted(".json") + " -sigfile " + quoted(".sig") + " >/dev/null 2>&1";
  EXPECT_EQ(std::system(check.c_str()), 0);
  // A bundle that is sealed anew is another one.
  finalise_bundle(bundle_, results_);
  EXPECT_FALSE(fs::exists(bundle_ / kCountersignatureFolder));
}

TEST_F(CountersignatureFiles, EveryChangeIsFound) {
  sign("ann", all());
  const auto findings = [&] { return verify_bundle(bundle_).findings.size(); };
  ASSERT_EQ(findings(), 0u);
  for (const char* end : {".json", ".sig", ".pub.pem"}) {
    const std::string good = read_file(file("ann", end));
    for (std::size_t i = 0; i < good.size(); i += 7) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 1);
      write_file(file("ann", end), bad);
      EXPECT_EQ(findings(), 1u) << end << i;
    }
    fs::remove(file("ann", end));
    EXPECT_EQ(findings(), 1u) << end;
    write_file(file("ann", end), good);
  }
  write_file(bundle_ / kCountersignatureFolder / "readme.txt", "x");
  EXPECT_EQ(verify_bundle(bundle_).findings[0].what, "belongs to no countersignature");
}

TEST_F(CountersignatureFiles, WhoSignsSomethingElseDoesNotPass) {
  const auto problem = [&](const CountersignedBundle& of, const std::vector<std::string>& cases,
                           const std::string& utc) {
    fs::remove_all(bundle_ / kCountersignatureFolder);
    add_countersignature(bundle_, of, key("ann"), cases, "program", utc);
    const VerifyReport report = verify_bundle(bundle_);
    return report.ok() ? std::string("fine") : report.findings[0].what;
  };
  const std::string& end = results_.run.finished_utc;
  EXPECT_EQ(problem(own_, all(), end), "fine");
  CountersignedBundle other = own_;
  other.hash_list += " ";
  EXPECT_THAT(problem(other, all(), end), HasSubstr("is of another bundle"));
  other = own_;
  other.root_digest = sha256_hex("other");
  EXPECT_THAT(problem(other, all(), end), HasSubstr("is of another bundle"));
  EXPECT_THAT(problem(own_, {"step/none/seed=1"}, end), HasSubstr("which is none that ran well"));
  EXPECT_THAT(problem(own_, {}, end), HasSubstr("does not name cases"));
  EXPECT_THAT(problem(own_, all(), "2001-01-01T00:00:00Z"), HasSubstr("before the run had ended"));
  EXPECT_THAT(problem(own_, all(), "tomorrow"), HasSubstr("before the run had ended"));
}

TEST_F(CountersignatureFiles, APersonCountsOnceAndTheAuthorNever) {
  sign("ann", all());
  sign("bob", all());
  sign("bob2", all());
  const std::vector<TrustedKey> trusted = {
      {"ann", fingerprint("ann")}, {"bob", fingerprint("bob")}, {"bob", fingerprint("bob2")}};
  const auto good = verify_bundle(bundle_).added.countersignatures;
  ASSERT_THAT(good, SizeIs(3));
  EXPECT_THAT(independent_people(good, trusted, "", 4), ElementsAre("ann", "bob"));
  EXPECT_THAT(independent_people(good, trusted, "bob", 4), ElementsAre("ann"));
  EXPECT_THAT(independent_people(good, {trusted[1]}, "", 4), ElementsAre("bob"));
  EXPECT_THAT(independent_people(good, trusted, "", 5), SizeIs(0)) << "not everything was reproduced";
}

}  // namespace
}  // namespace aqbench
