// The table of knobs in docs/protocols.md is what the protocols have.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "metrics/protocols/cloud_protocols.h"

namespace aqbench::test {
namespace {

TEST(ProtocolsDocument, TableOfKnobsIsThatOfTheProtocols) {
  std::ifstream file(AQBENCH_SOURCE_DIR "/docs/protocols.md");
  std::stringstream text;
  text << file.rdbuf();
  std::string head = "| knob |";
  for (const CloudProtocol& protocol : cloud_protocols()) head += std::string(" ") + protocol.name + " |";
  EXPECT_NE(text.str().find(head + "\n"), std::string::npos) << head;
  for (const CloudKnob& knob : cloud_knobs()) {
    std::string row = std::string("| `") + knob.name + "` |";
    for (const CloudProtocol& protocol : cloud_protocols()) row += " " + knob.text(protocol.knobs) + " |";
    EXPECT_NE(text.str().find("\n" + row + "\n"), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace aqbench::test
