#include "core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/sha256.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

TEST(OneLine, HasNoBreaksAndIsUtf8) {
  EXPECT_EQ(one_line("a\nb\t\tc\r\n"), "a b c");
  EXPECT_EQ(one_line("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(one_line("bad \xFF\xC3 end"), "bad ?? end");
  EXPECT_EQ(one_line("\xED\xA0\x80"), "???") << "a surrogate is not UTF-8";
  EXPECT_EQ(one_line("\xC0\xAF"), "??") << "an overlong form is not UTF-8";
}

TEST(OneLine, CutsAtACharactersBorder) {
  EXPECT_EQ(one_line("0123456789", 8), "01234...");
  EXPECT_EQ(one_line("0123456789", 10), "0123456789");
  const std::string cut = one_line("aaaa\xC3\xA9\xC3\xA9\xC3\xA9", 8);
  EXPECT_EQ(cut, "aaaa...");
  for (std::size_t limit = 4; limit < 40; ++limit)
    EXPECT_TRUE(
        is_valid_utf8(one_line(std::string(30, 'x') + "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC", limit)));
}

TEST(UtcNow, IsIso8601) {
  EXPECT_THAT(utc_now(),
              testing::MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z"));
}

TEST(Glob, MatchesWholeNamesAcrossSlashes) {
  EXPECT_TRUE(glob_matches("*", "undulating/roma_like/seed=42"));
  EXPECT_TRUE(glob_matches("*/roma_like/*", "undulating/roma_like/seed=42"));
  EXPECT_TRUE(glob_matches("undulating/roma_like/seed=4?", "undulating/roma_like/seed=42"));
  EXPECT_FALSE(glob_matches("roma_like", "undulating/roma_like/seed=42"));
  EXPECT_FALSE(glob_matches("undulating", "undulating2"));
  EXPECT_TRUE(has_wildcard("flat_*"));
  EXPECT_FALSE(has_wildcard("flat_plane"));
}

TEST(DisplayWidth, CountsWhatATerminalShows) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("±µ…"), 3u);
  EXPECT_EQ(display_width("水面"), 4u);       // wide
  EXPECT_EQ(display_width("e\xCC\x81"), 1u);  // e and a combining accent
  EXPECT_EQ(display_width("\xFF\xC3"), 2u);   // broken: each byte shows as one
}

TEST(Printable, LetsNoTextSteerTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\r\n\tc\x7f"), "a?[31mb???c?");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "?2J");                                            // C1 control sequence introducer
  EXPECT_EQ(printable("x\xE2\x80\xAEy"), "x?y");               // right-to-left override
  EXPECT_EQ(printable("\xFF\xC0\xAF\xED\xA0\x80"), "??????");  // broken, overlong, surrogate
  EXPECT_EQ(printable("ä 水 😀"), "ä 水 😀");
}

TEST(ElideMiddle, KeepsBothEndsAndTheWidth) {
  EXPECT_EQ(elide_middle("undulating/roma_like", 20), "undulating/roma_like");
  EXPECT_EQ(elide_middle("undulating/roma_like/seed=43", 11), "undul…ed=43");
  EXPECT_EQ(elide_middle("水水水水水", 6), "水…水");
  EXPECT_EQ(elide_middle("abc", 1), "…");
  EXPECT_EQ(elide_middle("abc", 0), "");
  for (std::size_t width = 0; width < 30; ++width)
    EXPECT_LE(display_width(elide_middle("水a水b水c水de\xCC\x81水f水g水h", width)), width);
}

TEST(WrapText, BreaksAtBlanksAndIndents) {
  EXPECT_EQ(wrap_text("one two three four", 10, 2), "one two\n  three\n  four\n");
  EXPECT_EQ(wrap_text("fits exactly", 12, 2), "fits exactly\n");
  EXPECT_EQ(wrap_text("fits exactly now", 12, 2), "fits exactly\n  now\n") << "the blank went with the break";
  EXPECT_EQ(wrap_text("", 10, 2), "\n");
  EXPECT_EQ(wrap_text(std::string(25, 'x'), 10, 2), "xxxxxxxxxx\n  xxxxxxxx\n  xxxxxxx\n");
  EXPECT_EQ(wrap_text("ab " + std::string(12, 'x'), 10, 2), "ab\n  xxxxxxxx\n  xxxx\n");
}

TEST(WrapText, KeepsNumbersWithTheirUnitsAndBreaksNamesBehindSlashes) {
  EXPECT_EQ(wrap_text("grew by 4.52 mm, or", 13, 2), "grew by\n  4.52 mm, or\n");
  EXPECT_EQ(wrap_text("allowed ± 5 %", 10, 2), "allowed\n  ± 5 %\n");
  EXPECT_EQ(wrap_text("seeds 10 20 30 40", 12, 2), "seeds 10 20\n  30 40\n") << "numbers are no units";
  EXPECT_EQ(wrap_text("a scene/method/n=1.5: worse", 12, 2), "a scene/\n  method/\n  n=1.5:\n  worse\n");
}

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(0, "case"), "0 cases");
}

TEST(ShortNumber, ReadsWell) {
  EXPECT_EQ(short_number(2850), "2850");
  EXPECT_EQ(short_number(0.79788456), "0.79788");
  EXPECT_EQ(short_number(-12), "-12");
  EXPECT_EQ(short_number(1234567.8), "1234568");
  EXPECT_EQ(short_number(std::numeric_limits<double>::quiet_NaN()), "not finite");
  EXPECT_EQ(short_number_or_na(0.5), "0.5");
  EXPECT_EQ(short_number_or_na(std::nullopt), "n/a");
  EXPECT_EQ(mib_or_na(3 << 19), "1.50");
  EXPECT_EQ(mib_or_na(std::nullopt), "n/a");
}

TEST(TextNumber, ReadsWholeWords) {
  EXPECT_EQ(parse_double("1.178"), 1.178);
  EXPECT_EQ(parse_double("+2"), 2);
  EXPECT_EQ(parse_double("-2.5e-3"), -0.0025);
  EXPECT_EQ(parse_double("inf"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_double("NaN").value()));
  EXPECT_EQ(parse_float("0.1"), 0.1f);
  for (const char* const word : {"", " 1", "1 ", "1x", "+-1", "++1", "+", "-", "1,5", "0x1p3", "one"}) {
    EXPECT_EQ(parse_double(word), std::nullopt) << word;
    EXPECT_EQ(parse_float(word), std::nullopt) << word;
  }
}

TEST(TextNumber, TooLargeIsNoneTooSmallIsZero) {
  EXPECT_EQ(parse_double("1e400"), std::nullopt);
  EXPECT_EQ(parse_double("-1e400"), std::nullopt);
  EXPECT_EQ(parse_double("1e-400"), 0.0);
  EXPECT_EQ(parse_float("1e39"), std::nullopt);
  EXPECT_EQ(parse_float("-1e-60"), 0.0f);
  EXPECT_TRUE(std::signbit(parse_float("-1e-60").value()));
  EXPECT_EQ(parse_double("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(parse_double("5e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(DecimalCommaNote, IsForOneCommaInANumber) {
  EXPECT_EQ(decimal_comma_note("0,5"), "; write 0.5 with a decimal point");
  EXPECT_EQ(decimal_comma_note("-1,25e-3"), "; write -1.25e-3 with a decimal point");
  for (const char* const other : {"0.5", "1,2,3", "a,b", "", ",", "x"})
    EXPECT_EQ(decimal_comma_note(other), "") << other;
}

TEST(EscapeBytes, EscapesAndCuts) {
  EXPECT_EQ(escape_bytes("plain text"), "plain text");
  EXPECT_EQ(escape_bytes(std::string("a\n\0\x7f\xff", 5)), "a\\x0a\\x00\\x7f\\xff");
  EXPECT_EQ(escape_bytes("abcdef", 3), "abc...");
  EXPECT_EQ(escape_bytes("abc", 3), "abc");
}

TEST(MdEscape, LeavesNoMarkup) {
  EXPECT_EQ(md_escape("a|b *c* `d` [e](f) \\ <g> & h\n"),
            "a\\|b \\*c\\* \\`d\\` \\[e\\](f) \\\\ &lt;g> &amp; h?");
}

TEST(XmlEscape, IsContentAndAttribute) {
  EXPECT_EQ(xml_escape("<a b=\"c\"> & 'd'"), "&lt;a b=&quot;c&quot;&gt; &amp; &apos;d&apos;");
  EXPECT_EQ(xml_escape("x\ny\x01\xFF"), "x&#10;y??");
  EXPECT_EQ(xml_escape("\xEF\xBF\xBE"), "?") << "a code point that is UTF-8 but not XML";
}

TEST(SplitAt, KeepsEmptyParts) {
  using testing::ElementsAre;
  EXPECT_THAT(split_at("a:b::c:", ':'), ElementsAre("a", "b", "", "c", ""));
  EXPECT_THAT(split_at("", ':'), ElementsAre(""));
  EXPECT_THAT(split_at("abc", ':'), ElementsAre("abc"));
}

// The examples of RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64_text(""), "");
  EXPECT_EQ(base64_text("f"), "Zg==");
  EXPECT_EQ(base64_text("fo"), "Zm8=");
  EXPECT_EQ(base64_text("foo"), "Zm9v");
  EXPECT_EQ(base64_text("foob"), "Zm9vYg==");
  EXPECT_EQ(base64_text("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64_text("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_text("\xFF\xFE\xFD"), "//79");
}

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
