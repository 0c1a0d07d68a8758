#include "reports/tables/case_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "core/text.h"

namespace aqbench {
namespace {

// What printed_number() does in plain words: a field stands for a number that is printed like it.
bool is_printed_like(const std::string& field, Digits digits) {
  const auto value = parse_double(field);
  if (!value || !std::isfinite(*value)) return false;
  return field == (digits == Digits::shortest ? fmt::format("{}", *value) : fmt::format("{:.6g}", *value));
}

TEST(PrintedNumber, AgreesWithPrintingAgainOnTextsOfDigitsPointsAndSigns) {
  std::mt19937 random(1);
  const std::string_view alphabet = "0123456789012345678900..-e+";
  std::uniform_int_distribution<std::size_t> letter(0, alphabet.size() - 1), length(0, 9);
  int accepted = 0;
  for (int i = 0; i < 300'000; ++i) {
    std::string field;
    for (std::size_t n = length(random); n > 0; --n) field += alphabet[letter(random)];
    for (const Digits digits : {Digits::shortest, Digits::six}) {
      ASSERT_EQ(printed_number(field, digits).has_value(), is_printed_like(field, digits)) << field;
      accepted += printed_number(field, digits) ? 1 : 0;
    }
  }
  EXPECT_GT(accepted, 50'000);
}

TEST(PrintedNumber, AgreesWithPrintingAgainOnNumbersOfEverySize) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> mantissa(-10, 10);
  std::uniform_int_distribution<int> exponent(-320, 307), digits_kept(0, 17);
  for (int i = 0; i < 50'000; ++i) {
    const double value = mantissa(random) * std::pow(10.0, exponent(random));
    for (const std::string& field : {fmt::format("{}", value), fmt::format("{:.6g}", value),
                                     fmt::format("{:.{}g}", value, digits_kept(random)),
                                     fmt::format("{:.{}f}", std::fmod(value, 1e5), digits_kept(random))})
      for (const Digits digits : {Digits::shortest, Digits::six})
        ASSERT_EQ(printed_number(field, digits).has_value(), is_printed_like(field, digits)) << field;
  }
}

TEST(PrintedNumber, ReturnsTheValue) {
  EXPECT_EQ(printed_number("-250", Digits::six), -250);
  EXPECT_EQ(printed_number("0.0001", Digits::shortest), 0.0001);
  EXPECT_EQ(printed_number("-0", Digits::six), 0);
  EXPECT_EQ(printed_number("0.1234567890123456", Digits::shortest), 0.1234567890123456);
  for (const char* const other :
       {"", "-", ".5", "5.", "00", "01", "1.50", "0.00001", "1e2", "nan", "inf", "+1", " 1"})
    for (const Digits digits : {Digits::shortest, Digits::six})
      EXPECT_EQ(printed_number(other, digits), std::nullopt) << other;
}

}  // namespace
}  // namespace aqbench
