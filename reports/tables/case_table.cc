#include "reports/tables/case_table.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxPrintedNumber = 32;  // "-1.7976931348623157e+308" has 24

void append_fields(std::string_view line, std::vector<std::string_view>& fields) {
  for (std::size_t end = 0; (end = line.find(',')) != line.npos; line.remove_prefix(end + 1))
    fields.push_back(line.substr(0, end));
  fields.push_back(line);
}

// Tells plain numbers of so few digits that they are printed in the same words whatever the digits asked for:
// -250, 0.125, 99999, and not 0.00001, which is 1e-05.
bool is_short_decimal(std::string_view field) {
  constexpr std::size_t kMaxDigits = 5;
  if (field.starts_with('-')) field.remove_prefix(1);
  const std::size_t point = std::min(field.find('.'), field.size());
  const std::string_view whole = field.substr(0, point),
                         part = field.substr(std::min(point + 1, field.size()));
  const auto digits = [](std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (whole.empty() || whole.size() + part.size() > kMaxDigits || !digits(whole) || !digits(part))
    return false;
  if (whole.size() > 1 && whole.starts_with('0')) return false;
  return point == field.size() || (!part.empty() && !part.ends_with('0'));
}

}  // namespace

std::span<const std::string_view> CaseTable::fields_of(std::size_t row) const {
  const std::size_t begin = row == 0 ? 0 : ends[row - 1];
  return std::span(fields).subspan(begin, ends[row] - begin);
}

CaseTable read_table(std::string_view text) {
  CaseTable table;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (table.names.empty()) {
      append_fields(text.substr(0, end), table.names);
    } else {
      append_fields(text.substr(0, end), table.fields);
      table.ends.push_back(table.fields.size());
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return table;
}

std::string form_problem(std::string_view text, const CaseTable& table, std::string_view header) {
  if (text.substr(0, text.find('\n')) != header)
    return fmt::format("has another first line than '{}'", printable(header));
  if (table.rows() == 0) return "holds no row";
  if (!text.ends_with('\n')) return "ends within a line";
  for (std::size_t row = 0; row < table.rows(); ++row)
    if (table.fields_of(row).size() != table.names.size())
      return fmt::format("line {}: has {} fields, not {}", row + 2, table.fields_of(row).size(),
                         table.names.size());
  return {};
}

std::optional<double> printed_number(std::string_view field, Digits digits) {
  const auto value = parse_double(field);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  if (is_short_decimal(field)) return value;
  std::array<char, kMaxPrintedNumber> again{};
  const char* const end = digits == Digits::shortest
                              ? fmt::format_to(again.data(), FMT_COMPILE("{}"), *value)
                              : fmt::format_to(again.data(), FMT_COMPILE("{:.6g}"), *value);
  return std::string_view(again.data(), static_cast<std::size_t>(end - again.data())) == field ? value
                                                                                               : std::nullopt;
}

ErrorRange range_of_six_digits(double printed) {
  if (printed == 0) return {0, 0};
  // One more digit is finer than what rounding up to a power of ten leaves.
  const double half = 0.5 * std::pow(10, std::floor(std::log10(std::abs(printed))) - 5) * (1 + 1e-9);
  return {printed - half, printed + half};
}

}  // namespace aqbench
