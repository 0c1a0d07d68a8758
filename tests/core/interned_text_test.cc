#include "core/interned_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "core/json.h"

namespace aqbench {
namespace {

const std::string kText = "completeness_2mm_pct";

TEST(InternedText, HoldsTheTextOfAnyKind) {
  EXPECT_EQ(InternedText(kText).text(), kText);
  EXPECT_EQ(InternedText(std::string_view(kText).substr(0, 12)).text(), "completeness");
  EXPECT_EQ(InternedText("mm").text(), "mm");
  EXPECT_EQ(InternedText(std::string_view("a\0b", 3)).text(), std::string("a\0b", 3));
  EXPECT_EQ(InternedText().text(), "");
  EXPECT_TRUE(InternedText("").empty());
  EXPECT_FALSE(InternedText(" ").empty());
}

TEST(InternedText, KeepsOneCopyAndIsAsLargeAsAPointer) {
  std::string text = kText;
  const InternedText a = text;
  text[0] = 'x';
  EXPECT_EQ(a.text(), kText) << "it refers to a copy";
  EXPECT_EQ(&a.text(), &InternedText(std::string_view(kText)).text());
  EXPECT_NE(&a.text(), &InternedText(text).text());
  EXPECT_EQ(sizeof(InternedText), sizeof(void*));
}

TEST(InternedText, ComparesAsTextsDo) {
  // Made in an order that is not that of the texts, so that addresses would say something else.
  const std::vector<std::string> texts = {"mm", "deg", "%", "", "points", "1", "mma", "\xff", "M"};
  for (const std::string& a : texts)
    for (const std::string& b : texts) {
      EXPECT_EQ(InternedText(a) == InternedText(b), a == b) << a << " " << b;
      EXPECT_EQ(InternedText(a) < InternedText(b), a < b) << a << " " << b;
      EXPECT_EQ(InternedText(a) == b, a == b);
      EXPECT_EQ(InternedText(a) < b, a < b);
      EXPECT_EQ(a < InternedText(b), a < b);
      EXPECT_EQ(InternedText(a) >= std::string_view(b), a >= b);
      EXPECT_EQ(InternedText(a) != b.c_str(), a != b);
    }
  std::vector<InternedText> interned(texts.begin(), texts.end());
  std::ranges::sort(interned);
  EXPECT_THAT(interned, testing::ElementsAre("", "%", "1", "M", "deg", "mm", "mma", "points", "\xff"));
  EXPECT_EQ(std::ranges::find(interned, std::string("deg")) - interned.begin(), 4);
}

TEST(InternedText, StandsWhereATextDoes) {
  const InternedText unit = "mm";
  std::string text = unit;
  text += unit;
  EXPECT_EQ(text, "mmmm");
  EXPECT_EQ("in " + unit + "!", "in mm!");
  EXPECT_EQ(unit + text, "mmmmmm");
  EXPECT_EQ(unit + InternedText(" x"), "mm x");
  EXPECT_TRUE(unit.starts_with("m") && unit.ends_with("mm"));
  EXPECT_FALSE(unit.starts_with("mmm"));
  std::ostringstream stream;
  stream << unit;
  EXPECT_EQ(stream.str(), "mm");
  std::map<std::string, int> counts;
  ++counts[unit];
  EXPECT_EQ(counts.at("mm"), 1);
  EXPECT_TRUE(std::set<std::string>({unit}).contains("mm"));
}

TEST(InternedText, IsTextInJson) {
  const InternedText name = kText, unit = "mm";
  Json json = {{"unit", unit}, {"all", {unit, name, ""}}};
  json[name] = unit;
  EXPECT_EQ(json.dump(),
            R"({"unit":"mm","all":["mm","completeness_2mm_pct",""],"completeness_2mm_pct":"mm"})");
}

TEST(InternedText, ThreadsGetOneCopy) {
  constexpr int kThreads = 4, kTexts = 200;
  std::vector<std::vector<const std::string*>> found(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTexts; ++i)
        found[t].push_back(&InternedText("text of threads " + std::to_string(i)).text());
    });
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kThreads; ++t) EXPECT_EQ(found[t], found[0]);
  EXPECT_EQ(*found[0][7], "text of threads 7");
}

TEST(InternedText, ForkedChildrenMakeTextsWhateverThreadsDo) {
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    for (int i = 0; !stop; ++i) (void)InternedText("text of a busy thread " + std::to_string(i % 1000));
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20);  // ends a child that waits for an abandoned lock
      ::_exit(InternedText("text of child " + std::to_string(i)).empty() ? 1 : 0);
    }
    ASSERT_GT(child, 0);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << i;
  }
  stop = true;
  busy.join();
}

}  // namespace
}  // namespace aqbench
