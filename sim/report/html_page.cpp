#include "sim/report/html_page.h"

#include <string_view>

#include "sim/report/xml_text.h"

namespace layersim {
namespace {

constexpr std::string_view kStyle = R"(
body { font: 15px/1.45 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 1000px;
       margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .6rem; border-bottom: 1px solid #bbb; padding-bottom: .2rem; }
svg { width: 100%; height: auto; display: block; }
svg text { font: 12px system-ui, sans-serif; fill: #1a1a1a; }
.key { width: .8em; display: inline-block; margin-right: .35em; }
.legend { margin: .4rem 0; } .legend span { margin-right: 1.4em; white-space: nowrap; }
.tiles { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.2rem 0; }
.tiles div { border: 1px solid #bbb; border-radius: 6px; padding: .5rem .9rem; min-width: 9rem; }
.tiles b { display: block; font-size: 1.35rem; } .tiles small { color: #444; }
.warning { border-left: 4px solid #d55e00; padding: .3rem .8rem; margin: .5rem 0; background: #fdf3ec; }
figure { margin: 1.2rem 0; break-inside: avoid; } figcaption { color: #444; font-size: 13px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: .15rem .5rem; border-bottom: 1px solid #ddd; overflow-wrap: anywhere; }
th { border-bottom: 2px solid #888; } td.n, th.n { text-align: right; white-space: nowrap; }
footer { margin-top: 2rem; color: #444; font-size: 13px; }
@media print { body { margin: 0; max-width: none; font-size: 11pt; } h2 { break-after: avoid; }
  svg, tr, .tiles, .warning { break-inside: avoid; } svg rect { print-color-adjust: exact;
  -webkit-print-color-adjust: exact; } thead { display: table-header-group; } }
)";

}  // namespace

std::string html_head(const std::string& title) {
  const std::string text = xml_text(title);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>layersim: " +
         text + "</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n<h1>" + text +
         "</h1>\n";
}

std::string html_tail() {
  return "<footer>Predicted by layersim; no part of this was measured on the "
         "device.</footer>\n</body>\n</html>\n";
}

}  // namespace layersim
