#pragma once
// A strict reader of the XML that a JUnit file is made of, and the content model of jenkins-junit.xsd, both
// written from the specifications and not from the writer.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench::xml_testing {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;  // unescaped
  std::vector<XmlElement> children;
  std::string text;  // unescaped, of this element alone
};

// Throws std::runtime_error naming the byte for anything that is not well-formed XML 1.0 of elements,
// attributes and text: every code point must be an XML character, every entity one of the five or numeric.
XmlElement parse_xml(std::string_view bytes);

// What breaks the JUnit schema, as "testsuites/testsuite[0]: ..."; empty if nothing does. Checks elements,
// their order-free content, required and allowed attributes, integer and decimal types, the counts.
std::vector<std::string> junit_schema_problems(const XmlElement& root);

}  // namespace aqbench::xml_testing
