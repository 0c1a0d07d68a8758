#include "reports/docs_tables/fill_docs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

DocsSections simple() {
  return {{"one", [](const auto&) { return std::string("a\nb\n"); }},
          {"echo", [](const std::vector<std::string>& words) { return words.at(0) + "\n"; }}};
}

const std::string kDocument =
    "# T\n<!-- aqbench:one -->\na\nold\n<!-- aqbench:end -->\nkept\n  <!-- aqbench:echo x -->\n<!-- "
    "aqbench:end -->\n```\n<!-- aqbench:nothing -->\n```\nlast";

TEST(FillDocs, ReplacesSectionsAndNothingElse) {
  const FilledDocs filled = fill_docs(kDocument, "D.md", simple());
  EXPECT_EQ(filled.text,
            "# T\n<!-- aqbench:one -->\na\nb\n<!-- aqbench:end -->\nkept\n  <!-- aqbench:echo x -->\nx\n"
            "<!-- aqbench:end -->\n```\n<!-- aqbench:nothing -->\n```\nlast");
  EXPECT_EQ(filled.sections, 2u);
  ASSERT_EQ(filled.changes.size(), 2u);
  EXPECT_EQ(filled.changes[0].section, "one");
  EXPECT_EQ(filled.changes[0].line, 4u);
  EXPECT_EQ(filled.changes[1].line, 8u);
  const FilledDocs again = fill_docs(filled.text, "D.md", simple());
  EXPECT_EQ(again.text, filled.text);
  EXPECT_THAT(again.changes, IsEmpty());
}

// Any edit of what is generated is found, and the line named.
TEST(FillDocs, AnyChangedCharacterOfATableIsStale) {
  const Results results = synthetic_results();
  std::vector<NamedBundle> bundles = {{"bundle", {}}, {"bundle-two", {}}};
  bundles[0].content.results = results;
  bundles[0].content.results.records[0].timing.warm_ms = {3.1, 3.2, 3.4};
  bundles[1].content.results = synthetic_results();
  DocsSections sections = bundle_sections(bundles);
  sections.merge(registry_sections());
  std::string document;
  for (const char* name :
       {"accuracy", "accuracy bundle", "environment", "reproduce", "scenes", "methods", "metrics", "suites"})
    document += std::string("<!-- aqbench:") + name + " -->\n<!-- aqbench:end -->\n";
  const std::string fresh = fill_docs(document, "D.md", sections).text;
  EXPECT_THAT(fresh, HasSubstr("| undulating | roma_like | 0.800 |")) << "no column of one value";
  EXPECT_THAT(fresh, HasSubstr("All cases: `seed=42`.\n\n"));
  EXPECT_THAT(fill_docs(fresh, "D.md", sections).changes, IsEmpty());
  std::size_t digits = 0;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    if (fresh[i] < '0' || fresh[i] > '9' || ++digits % 7 != 0) continue;
    std::string edited = fresh;
    edited[i] = edited[i] == '9' ? '0' : static_cast<char>(edited[i] + 1);
    const FilledDocs filled = fill_docs(edited, "D.md", sections);
    ASSERT_EQ(filled.changes.size(), 1u) << i;
    EXPECT_EQ(filled.changes[0].line,
              1 + std::count(fresh.begin(), fresh.begin() + static_cast<long>(i), '\n'));
    EXPECT_EQ(filled.text, fresh);
  }
  EXPECT_GT(digits, 300u);
}

TEST(FillDocs, BadMarkersAreNamed) {
  const auto error = [](const std::string& text) {
    return error_of(ErrorKind::input, [&] { fill_docs(text, "D.md", simple()); });
  };
  EXPECT_THAT(error("x\n<!-- aqbench:onee -->\n<!-- aqbench:end -->\n"), HasSubstr("D.md:2: "));
  EXPECT_THAT(error("x\n<!-- aqbench:onee -->\n<!-- aqbench:end -->\n"), HasSubstr("one"));
  EXPECT_THAT(error("<!-- aqbench:one -->\nx\n"), HasSubstr("D.md:1: section one has no"));
  EXPECT_THAT(error("<!-- aqbench:one -->\n<!-- aqbench:echo x -->\n"),
              HasSubstr("D.md:2: section echo begins"));
  EXPECT_THAT(error("a\n\n<!-- aqbench:end -->\n"), HasSubstr("D.md:3: ends a section"));
}

TEST(DocsSections, WhatTheBundleDoesNotHaveIsSaid) {
  std::vector<NamedBundle> bundles = {{"bundle", {}}};
  bundles[0].content.results = synthetic_results();
  const DocsSections sections = bundle_sections(bundles);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { sections.at("accuracy")({"bundl"}); }),
              HasSubstr("unknown bundle 'bundl'"));
  EXPECT_THAT(error_of(ErrorKind::input,
                       [&] {
                         sections.at("accuracy")({"bundle", "x"});
                       }),
              HasSubstr("one bundle"));
  for (const char* name : {"batching", "comparisons"})
    EXPECT_THAT(error_of(ErrorKind::input, [&] { sections.at(name)({}); }), HasSubstr("the bundle has no"));
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { bundle_sections({}).at("accuracy")({}); }),
              HasSubstr("--bundle"));
}

}  // namespace
}  // namespace aqbench
