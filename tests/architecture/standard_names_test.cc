// A header reaches the standard header of every std:: name that it uses, by includes of its own and of the
// project's headers that it includes. cmake/AqbenchHeaderCheck.cmake relies on it: it compiles the headers
// after a precompiled copy of some standard headers, which would hide that one is missing.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "tests/architecture/include_rules.h"

namespace aqbench {
namespace {

struct StandardHeader {
  std::string_view header, names;  // the names separated by blanks
};

// A name that several headers declare stands where people look for it.
constexpr StandardHeader kStandardHeaders[] = {
    {"algorithm",
     "any_of all_of clamp count equal find lexicographical_compare max max_element min min_element "
     "nth_element "
     "reverse sort transform"},
    {"array", "array"},
    {"atomic", "atomic memory_order_acquire memory_order_relaxed memory_order_release"},
    {"bit", "bit_cast countr_zero endian"},
    {"charconv", "errc from_chars"},
    {"chrono", "chrono milli"},
    {"cmath",
     "abs ceil cos erfc exp floor fma hypot isfinite isnan log1p lround nan pow round sin sqrt tanh"},
    {"concepts", "convertible_to equality_comparable floating_point integral same_as"},
    {"compare", "strong_ordering"},
    {"condition_variable", "condition_variable"},
    {"cstddef", "byte max_align_t ptrdiff_t size_t"},
    {"cstdint", "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintmax_t uintptr_t"},
    {"cstdio", "FILE"},
    {"cstdlib", "getenv"},
    {"cstring", "memcpy strerror"},
    {"deque", "deque"},
    {"exception", "exception exception_ptr"},
    {"filesystem", "filesystem"},
    {"fstream", "ifstream ofstream"},
    {"functional", "function reference_wrapper"},
    {"initializer_list", "initializer_list"},
    {"ios", "ios streamsize"},
    {"iosfwd", "ostream"},
    {"iterator", "begin end istreambuf_iterator"},
    {"limits", "numeric_limits"},
    {"map", "map multimap"},
    {"memory", "make_shared make_unique shared_ptr unique_ptr weak_ptr"},
    {"mutex", "lock_guard mutex once_flag scoped_lock unique_lock"},
    {"new", "align_val_t"},
    {"numbers", "numbers"},
    {"numeric", "midpoint"},
    {"optional", "nullopt nullopt_t optional"},
    {"random", "mt19937 mt19937_64 normal_distribution"},
    {"ranges", "ranges views"},
    {"set", "multiset set"},
    {"span", "span"},
    {"stdexcept", "invalid_argument logic_error out_of_range runtime_error"},
    {"string", "getline string to_string"},
    {"string_view", "string_view"},
    {"system_error", "error_code"},
    {"thread", "this_thread thread"},
    {"tuple", "get tie tuple"},
    {"type_traits",
     "common_type decay_t is_arithmetic_v is_enum_v is_invocable_v is_same_v is_unsigned_v remove_cvref_t"},
    {"unordered_map", "unordered_map"},
    {"unordered_set", "unordered_set"},
    {"utility", "in_range exchange forward move pair swap"},
    {"variant", "get_if holds_alternative monostate variant visit"},
    {"vector", "vector"},
};

std::string_view header_of(std::string_view name) {
  for (const auto& [header, names] : kStandardHeaders) {
    const std::vector<std::string_view> all = split_at(names, ' ');
    if (std::ranges::find(all, name) != all.end()) return header;
  }
  return "";
}

// The X of every std::X outside of comments.
std::set<std::string> standard_names(std::string_view source) {
  std::set<std::string> names;
  for (std::string_view line : split_at(source, '\n')) {
    line = line.substr(0, line.find("//"));
    for (std::size_t at = line.find("std::"); at != line.npos; at = line.find("std::", at)) {
      const std::size_t begin = at += 5;
      while (at < line.size() && (std::isalnum(static_cast<unsigned char>(line[at])) != 0 || line[at] == '_'))
        ++at;
      names.emplace(line.substr(begin, at - begin));
    }
  }
  return names;
}

// The paths in angle brackets that each header reaches.
class Reach {
 public:
  explicit Reach(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files) files_.emplace(file.path, &file);
  }

  const std::set<std::string>& of(const std::string& path) {
    const auto [found, fresh] = reached_.try_emplace(path);
    const auto file = files_.find(path);
    if (!fresh || file == files_.end()) return found->second;
    for (const Include& include : file->second->includes) {
      if (!include.quoted) {
        found->second.insert(include.path);
        continue;
      }
      const std::set<std::string>& more = of(include.path);
      found->second.insert(more.begin(), more.end());
    }
    return found->second;
  }

 private:
  std::map<std::string, const SourceFile*> files_;
  std::map<std::string, std::set<std::string>> reached_;
};

std::vector<std::string> missing_headers(const std::string& path, std::string_view source,
                                         const std::set<std::string>& reached) {
  std::vector<std::string> missing;
  for (const std::string& name : standard_names(source)) {
    const std::string_view header = header_of(name);
    if (header.empty())
      missing.push_back(fmt::format(
          "{}: std::{} is not in the table kStandardHeaders of standard_names_test.cc", path, name));
    else if (!reached.contains(std::string(header)))
      missing.push_back(fmt::format("{}: std::{} needs #include <{}>", path, name, header));
  }
  return missing;
}

TEST(StandardNames, AMissingHeaderAndAnUnknownNameAreFound) {
  const std::string source = "std::vector<int> f(std::size_t);  // std::map\nusing std::bogus;\n";
  EXPECT_THAT(
      missing_headers("a.h", source, {"vector"}),
      ::testing::ElementsAre("a.h: std::bogus is not in the table kStandardHeaders of standard_names_test.cc",
                             "a.h: std::size_t needs #include <cstddef>"));
}

TEST(StandardNames, HeadersOfThisProjectReachThem) {
  const std::filesystem::path root = AQBENCH_SOURCE_DIR;
  const std::vector<SourceFile> files = read_source_files(root);
  Reach reach(files);
  std::vector<std::string> missing;
  std::size_t headers = 0;
  for (const SourceFile& file : files) {
    if (!file.path.ends_with(".h")) continue;
    ++headers;
    for (std::string& line : missing_headers(file.path, read_file(root / file.path), reach.of(file.path)))
      missing.push_back(std::move(line));
  }
  EXPECT_GT(headers, 200u);
  EXPECT_THAT(missing, ::testing::IsEmpty());
}

}  // namespace
}  // namespace aqbench
