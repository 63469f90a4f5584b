#include "sim/cli/prediction_files.h"

#include <array>
#include <filesystem>

#include "sim/chakra/chakra_trace.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/import/importer.h"
#include "sim/import/open_network.h"
#include "sim/report/annotation.h"

namespace layersim {
namespace {

void annotate(const std::string& source, const Report& report, const std::string& target) {
  PendingFile pending(target);
  pending.fill([&](const std::filesystem::path& path) {
    static_cast<void>(annotate_onnx(source, node_notes(report), graph_note(report), path));
  });
  pending.commit();
}

void write_annotated(const std::string& network, const Report& report, const std::string& target) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(network, ignored) && !is_network_text(network)) {
    annotate(network, report, target);
    return;
  }
  Warnings warnings;  // have been told when the network was read for the prediction
  const PendingFile exported(target);
  exported.fill([&](const std::filesystem::path& path) {
    export_onnx(open_network(network, warnings), path);
    annotate(path.string(), report, target);
  });
}

// Of the traces PREFIX.0.et, PREFIX.1.et ... none may be another file of the command line.
void check_traces(const Arguments& arguments, const std::string& prefix) {
  for (const NamedFile& file : arguments.files) {
    const std::filesystem::path path(file.file);
    if (path.extension() != ".et") continue;
    const std::string trace = prefix + path.stem().extension().string() + ".et";
    check_no_overwriting(std::array{file, NamedFile{"--chakra", trace, FileUse::written}});
  }
}

}  // namespace

options::options_description prediction_file_group() {
  options::options_description group("files");
  group.add_options()  //
      ("html", output_file(),
       "write a report to read or print, one HTML file that needs nothing else")                       //
      ("trace", output_file(), "write the batch as a trace that opens in Perfetto (ui.perfetto.dev)")  //
      ("annotate", binary_output_file(),
       "write a copy of the network as ONNX whose nodes' doc strings tell the times, as Netron shows them; "
       "weights "
       "in files of their own are not copied")  //
      ("chakra", text_value("PREFIX"),
       "write data parallel training as Chakra execution traces PREFIX.0.et, PREFIX.1.et ..., one a GPU, "
       "which "
       "ASTRA-sim replays on a network of its own");
  return group;
}

PredictionFiles read_prediction_files(const Arguments& arguments) {
  const auto file = [&](const char* option) {
    std::string name = arguments.text(option).value_or("");
    if (name == "-") throw bad_use("--" + std::string(option) + " takes the name of a file, not -");
    return name;
  };
  PredictionFiles files{file("html"), file("trace"), file("annotate"), file("chakra")};
  if (!files.chakra_prefix.empty()) check_traces(arguments, files.chakra_prefix);
  return files;
}

void write_prediction_files(const Report& report, const PredictionFiles& files, const std::string& network) {
  if (!files.html.empty()) write_text(files.html, to_html(report));
  if (!files.trace.empty()) write_text(files.trace, to_trace(report));
  if (!files.chakra_prefix.empty()) write_chakra(report, files.chakra_prefix);
  if (files.annotated.empty()) return;
  with_context(files.annotated, [&] { write_annotated(network, report, files.annotated); });
}

}  // namespace layersim
