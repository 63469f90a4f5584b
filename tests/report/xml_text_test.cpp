#include "sim/report/xml_text.h"

#include <catch2/catch.hpp>

using namespace layersim;

TEST_CASE("text within XML: markup is escaped, and what XML does not allow is replaced") {
  CHECK(xml_text("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c&#39;");
  CHECK(xml_text("größe 日本 \U0001F600") == "größe 日本 \U0001F600");
  CHECK(xml_text(std::string("a\0b\x1b\n\x7f", 6)) == "a?b???");
  CHECK(xml_text("\xff\xfe") == "??");
  CHECK(xml_text("\xc0\xbc") == "??");       // an overlong '<'
  CHECK(xml_text("\xed\xa0\x80") == "???");  // a surrogate
  CHECK(xml_text("\xef\xbf\xbf"
                 "a") == "?a");
  CHECK(xml_text("\xe2\x82") == "??");  // cut
  CHECK(xml_text("\xc2\x85") == "?");   // a C1 control
}
