// A header reaches what declares each type and constant of this project that it names, by its own includes
// and those of the headers that it includes, or declares the type itself. It is the part of "every header
// compiles alone" that takes no compiler: `make headers` compiles them.
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

// A name in a header, and the name before its last "::", if there is one.
struct Name {
  std::string_view qualifier, name;
};

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// Returns the names in a line, outside of comments and texts.
std::vector<Name> names_in(std::string_view line) {
  std::vector<Name> names;
  std::string_view last;
  std::size_t end_of_last = 0;
  for (std::size_t at = 0; at < line.size();) {
    if (line.substr(at).starts_with("//")) break;
    if (line[at] == '"') {
      at = std::min(line.find('"', at + 1), line.size() - 1) + 1;
    } else if (is_name_letter(line[at])) {
      const std::size_t begin = at;
      while (at < line.size() && is_name_letter(line[at])) ++at;
      const bool qualified = begin >= 2 && begin - 2 == end_of_last && line.substr(end_of_last, 2) == "::";
      names.push_back({qualified ? last : "", line.substr(begin, at - begin)});
      last = names.back().name;
      end_of_last = at;
    } else {
      ++at;
    }
  }
  return names;
}

// What a header declares in a namespace (lines that are not indented), and whatever it declares at all.
struct Declared {
  std::set<std::string> outer, all;
};

// Types have capitals, constants a k before one: other names are those of variables, too.
bool is_type_or_constant(std::string_view name) {
  const auto capital = [](char letter) { return std::isupper(static_cast<unsigned char>(letter)) != 0; };
  return name.size() > 1 && (capital(name[0]) || (name[0] == 'k' && capital(name[1])));
}

Declared declared_in(std::string_view source) {
  Declared declared;
  for (const std::string_view line : split_at(source, '\n')) {
    const std::vector<Name> names = names_in(line);
    const bool forward = line.ends_with(";") && line.find('{') == line.npos && !line.starts_with("using");
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
      const std::string_view word = names[i].name;
      const std::string name(names[i + 1].name);
      if (word == "typename" || word == "auto") declared.all.insert(name);
      if (word != "struct" && word != "class" && word != "using" && word != "enum" && word != "concept")
        continue;
      if (name == "class") continue;
      declared.all.insert(name);
      if (!line.starts_with(' ') && !forward) declared.outer.insert(name);
    }
    const std::size_t equals = line.find_first_of("=;{");
    if (line.find("constexpr") == line.npos && line.find("const ") == line.npos) continue;
    for (const Name& name : names_in(line.substr(0, equals)))
      if (name.name.starts_with('k') && is_type_or_constant(name.name)) {
        declared.all.emplace(name.name);
        if (!line.starts_with(' ')) declared.outer.emplace(name.name);
      }
  }
  return declared;
}

// Headers by path: what they hold, what they declare, and the headers of the project that they reach.
struct Header {
  std::string source;
  Declared declared;
  std::set<std::string> reached;
};
using Headers = std::map<std::string, Header>;

void add_reached(const Headers& headers, const std::string& path, std::set<std::string>& reached) {
  const auto header = headers.find(path);
  if (header == headers.end() || !reached.insert(path).second) return;
  for (const Include& include : parse_includes(header->second.source))
    if (include.quoted) add_reached(headers, include.path, reached);
}

// Returns a line for each name that a header uses and none of the headers that it reaches declares.
std::vector<std::string> missing_headers(Headers headers) {
  const std::set<std::string_view> elsewhere = {"std",   "Eigen",  "nlohmann", "fmt",
                                                "at",    "c10",    "torch",    "cv",
                                                "boost", "open3d", "detail",   "benchmark"};
  std::map<std::string, std::set<std::string>> declared_by;
  for (auto& [path, header] : headers) {
    header.declared = declared_in(header.source);
    add_reached(headers, path, header.reached);
    for (const std::string& name : header.declared.outer) declared_by[name].insert(path);
  }
  std::set<std::string> missing;
  for (const auto& [path, header] : headers)
    for (const std::string_view line : split_at(header.source, '\n')) {
      if (line.starts_with('#')) continue;
      for (const Name& name : names_in(line)) {
        const auto places = declared_by.find(std::string(name.name));
        const bool member = is_type_or_constant(name.qualifier);  // of a type, which has to be known itself
        if (places == declared_by.end() || !is_type_or_constant(name.name) || member ||
            elsewhere.contains(name.qualifier) || header.declared.all.contains(places->first))
          continue;
        if (std::ranges::none_of(places->second,
                                 [&](const std::string& place) { return header.reached.contains(place); }))
          missing.insert(
              fmt::format("{}: {} needs #include \"{}\"", path, name.name, *places->second.begin()));
      }
    }
  return {missing.begin(), missing.end()};
}

TEST(OwnNames, AMissingHeaderIsFound) {
  Headers headers;
  headers["a.h"].source = "struct Point { int x; };\ninline constexpr int kMaxPoints = 3;\nclass Far;\n";
  headers["b.h"].source = "#include \"a.h\"\nusing Points = std::vector<Point>;\n";
  headers["c.h"].source = "#include \"b.h\"\nPoint first(const Points& points);  // Cloud\n";
  headers["d.h"].source = "struct Point;\nstruct Cloud { Point* first = nullptr; int most = kMaxPoints; };\n";
  headers["e.h"].source =
      "std::Point p;\nvoid add(const Cloud& cloud, Far& far, const char* = \"Points\");\n";
  EXPECT_THAT(missing_headers(headers), ::testing::ElementsAre("d.h: kMaxPoints needs #include \"a.h\"",
                                                               "e.h: Cloud needs #include \"d.h\""));
}

TEST(OwnNames, HeadersOfThisProjectReachThem) {
  const std::filesystem::path root = AQBENCH_SOURCE_DIR;
  Headers headers;
  for (const SourceFile& file : read_source_files(root))
    if (file.path.ends_with(".h")) headers[file.path].source = read_file(root / file.path);
  EXPECT_GT(headers.size(), 200u);
  EXPECT_THAT(missing_headers(std::move(headers)), ::testing::IsEmpty());
}

}  // namespace
}  // namespace aqbench
