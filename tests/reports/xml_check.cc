#include "tests/reports/xml_check.h"

#include <functional>
#include <regex>
#include <set>
#include <stdexcept>

namespace aqbench::xml_testing {
namespace {

class XmlReader {
 public:
  explicit XmlReader(std::string_view bytes) : bytes_(bytes) {}

  XmlElement document() {
    constexpr std::string_view declaration = R"(<?xml version="1.0" encoding="UTF-8"?>)";
    if (!take(declaration)) fail("no XML declaration");
    skip_blanks();
    XmlElement root = element();
    skip_blanks();
    if (at_ != bytes_.size()) fail("text after the root");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at byte " + std::to_string(at_));
  }
  char peek() const { return at_ < bytes_.size() ? bytes_[at_] : '\0'; }
  bool take(std::string_view token) {
    if (bytes_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void skip_blanks() {
    while (std::string_view(" \t\r\n").find(peek()) != std::string_view::npos && at_ < bytes_.size()) ++at_;
  }
  std::string name() {
    std::string name;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '-' || peek() == '_')
      name += bytes_[at_++];
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || name[0] == '-') fail("no name");
    return name;
  }

  // One character of content, checked against Char of XML 1.0.
  std::string character() {
    if (peek() == '&') return entity();
    const auto lead = static_cast<unsigned char>(peek());
    const int more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : lead >> 3 == 30 ? 3 : -1;
    if (more < 0 || at_ + static_cast<std::size_t>(more) >= bytes_.size()) fail("broken UTF-8");
    unsigned code = more == 0 ? lead : lead & (0x3Fu >> more);
    for (int i = 1; i <= more; ++i) {
      const auto next = static_cast<unsigned char>(bytes_[at_ + static_cast<std::size_t>(i)]);
      if (next >> 6 != 2) fail("broken UTF-8");
      code = code << 6 | (next & 0x3F);
    }
    check_char(code);
    const std::string text(bytes_.substr(at_, static_cast<std::size_t>(more) + 1));
    at_ += text.size();
    return text;
  }
  void check_char(unsigned code) const {
    const bool good = code == 9 || code == 10 || code == 13 || (code >= 0x20 && code <= 0xD7FF) ||
                      (code >= 0xE000 && code <= 0xFFFD) || (code >= 0x10000 && code <= 0x10FFFF);
    if (!good) fail("no XML character: " + std::to_string(code));
  }
  std::string entity() {
    static const std::map<std::string, std::string, std::less<>> known = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&#10;", "\n"}};
    for (const auto& [text, meaning] : known)
      if (take(text)) return meaning;
    fail("unknown entity");
  }

  XmlElement element() {
    if (!take("<")) fail("no element");
    XmlElement element;
    element.name = name();
    for (;;) {
      const std::size_t before = at_;
      skip_blanks();
      if (take("/>")) return element;
      if (take(">")) break;
      if (at_ == before) fail("attributes run together");
      const std::string key = name();
      if (!take("=\"")) fail("attribute without value");
      std::string value;
      while (peek() != '"') {
        if (peek() == '<' || at_ >= bytes_.size()) fail("'<' in an attribute");
        value += character();
      }
      ++at_;
      if (!element.attributes.emplace(key, value).second) fail("attribute " + key + " twice");
    }
    while (!take("</")) {
      if (at_ >= bytes_.size()) fail("end of file in " + element.name);
      if (peek() == '<')
        element.children.push_back(this->element());
      else
        element.text += character();
    }
    if (name() != element.name || !take(">")) fail("wrong end of " + element.name);
    return element;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

// An element of jenkins-junit.xsd: attribute -> pattern of its type ("" any), those required, children.
struct Model {
  std::map<std::string, std::string> attributes;
  std::set<std::string> required, children;
};

const std::map<std::string, Model>& models() {
  static const std::string integer = "[0-9]+", decimal = "[0-9]+(\\.[0-9]+)?";
  static const std::string stamp = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}";
  static const Model message = {{{"type", ""}, {"message", ""}}, {}, {}};
  static const std::map<std::string, Model> models = {
      {"testsuites",
       {{{"name", ""},
         {"time", decimal},
         {"tests", integer},
         {"failures", integer},
         {"errors", integer},
         {"disabled", integer}},
        {},
        {"testsuite"}}},
      {"testsuite",
       {{{"name", ""},
         {"tests", integer},
         {"failures", integer},
         {"errors", integer},
         {"time", decimal},
         {"disabled", integer},
         {"skipped", integer},
         {"timestamp", stamp},
         {"hostname", ""},
         {"id", ""},
         {"package", ""}},
        {"name", "tests"},
        {"properties", "testcase", "system-out", "system-err"}}},
      {"properties", {{}, {}, {"property"}}},
      {"property", {{{"name", ""}, {"value", ""}}, {"name", "value"}, {}}},
      {"testcase",
       {{{"name", ""}, {"assertions", ""}, {"time", decimal}, {"classname", ""}, {"status", ""}},
        {"name"},
        {"skipped", "error", "failure", "system-out", "system-err"}}},
      {"failure", message},
      {"error", message},
      {"skipped", {{{"type", ""}, {"message", ""}}, {}, {}}},
  };
  return models;
}

void check_element(const XmlElement& element, const std::string& path, std::vector<std::string>& problems) {
  const auto found = models().find(element.name);
  if (found == models().end()) {
    problems.push_back(path + ": no such element");
    return;
  }
  const Model& model = found->second;
  for (const auto& [key, value] : element.attributes) {
    const auto type = model.attributes.find(key);
    if (type == model.attributes.end())
      problems.push_back(path + ": attribute " + key + " is not allowed");
    else if (!type->second.empty() && !std::regex_match(value, std::regex(type->second)))
      problems.push_back(path + ": " + key + "='" + value + "'");
  }
  for (const std::string& key : model.required)
    if (!element.attributes.contains(key)) problems.push_back(path + ": " + key + " is missing");
  const bool may_have_text =
      element.name == "failure" || element.name == "error" || element.name == "skipped";
  if (!may_have_text && element.text.find_first_not_of(" \t\r\n") != std::string::npos)
    problems.push_back(path + ": has text");
  for (std::size_t i = 0; i < element.children.size(); ++i) {
    const XmlElement& child = element.children[i];
    const std::string child_path = path + "/" + child.name + "[" + std::to_string(i) + "]";
    if (!model.children.contains(child.name)) problems.push_back(child_path + ": is not allowed here");
    check_element(child, child_path, problems);
  }
}

// Test cases below `element` that have a child of this name.
std::size_t cases_with(const XmlElement& element, const std::string& child) {
  std::size_t count = 0;
  for (const XmlElement& inner : element.children) {
    if (inner.name == "testcase" && child.empty()) ++count;
    if (inner.name == "testcase")
      for (const XmlElement& outcome : inner.children) count += outcome.name == child ? 1 : 0;
    count += cases_with(inner, child);
  }
  return count;
}

void check_counts(const XmlElement& element, std::vector<std::string>& problems) {
  const std::pair<const char*, const char*> counts[] = {
      {"tests", ""}, {"failures", "failure"}, {"errors", "error"}, {"skipped", "skipped"}};
  for (const auto& [attribute, child] : counts) {
    const auto given = element.attributes.find(attribute);
    if (given != element.attributes.end() && given->second != std::to_string(cases_with(element, child)))
      problems.push_back(element.name + ": " + attribute + "=" + given->second +
                         " is not the number of them");
  }
  for (const XmlElement& child : element.children)
    if (child.name == "testsuite") check_counts(child, problems);
}

}  // namespace

XmlElement parse_xml(std::string_view bytes) { return XmlReader(bytes).document(); }

std::vector<std::string> junit_schema_problems(const XmlElement& root) {
  std::vector<std::string> problems;
  if (root.name != "testsuites") problems.push_back("the root is " + root.name);
  check_element(root, root.name, problems);
  check_counts(root, problems);
  return problems;
}

}  // namespace aqbench::xml_testing
