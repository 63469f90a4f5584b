#include "sim/import/importer.h"

#include <algorithm>
#include <array>

#include "sim/core/error.h"
#include "sim/core/own_file.h"
#include "sim/graph/graph_text.h"
#include "sim/import/mapped_file.h"
#include "sim/import/onnx_converter.h"
#include "sim/import/onnx_wire.h"
#include "sim/import/torchscript/torchscript_importer.h"

namespace layersim {
namespace {

struct OtherFormat {
  std::size_t offset;
  std::string_view magic;
  const char* what;
};

constexpr std::array kOtherFormats{
    OtherFormat{0, "\x1f\x8b", "is compressed by gzip: unpack it first"},
    OtherFormat{0, "\x28\xb5\x2f\xfd", "is compressed by zstd: unpack it first"},
    OtherFormat{0, "BZh", "is compressed by bzip2: unpack it first"},
    OtherFormat{0,
                "\xfd"
                "7zXZ",
                "is compressed by xz: unpack it first"},
    OtherFormat{0, "version https://git-lfs",
                "is a Git LFS pointer, not the network itself: run 'git lfs pull'"},
    OtherFormat{0, "\x89HDF", "is an HDF5 file (Keras?), not a network file: export the network to ONNX"},
    OtherFormat{0, "GGUF", "is a GGUF file, which holds no graph: export the network to ONNX"},
    OtherFormat{0, "\x93NUMPY", "is a NumPy array, not a network file"},
    OtherFormat{0, "\x80\x02", "is a Python pickle, which holds no graph: export the network to ONNX"},
    OtherFormat{4, "TFL3", "is a TensorFlow Lite file: export the network to ONNX"},
    OtherFormat{4, "ORTM", "is in ONNX Runtime's own format: give the ONNX file that it was made from"},
};

constexpr std::string_view kZipMagic = "PK\x03\x04";

bool is_text(std::string_view bytes) {
  constexpr std::size_t kEnough = 4096;
  return std::all_of(
      bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), kEnough)),
      [](char c) { return static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\n' || c == '\r'; });
}

void refuse_other_formats(std::string_view bytes) {
  for (const OtherFormat& format : kOtherFormats) {
    if (bytes.size() > format.offset && bytes.substr(format.offset).starts_with(format.magic)) {
      throw bad_input(format.what);
    }
  }
  if (!is_text(bytes)) return;
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  const char first = start == std::string_view::npos ? '\0' : bytes[start];
  if (first == '<') throw bad_input("is an HTML or XML page, not a network file");
  if (first == '{' || first == '[') throw bad_input("is JSON, not a network file");
  if (first == '\0') throw bad_input("holds nothing but blanks");
}

// An error or warning quotes names of the file, which may hold anything.
std::string one_line(std::string text) {
  constexpr std::size_t kMaxLength = 1000;
  constexpr std::size_t kKept = 300;  // at both ends: where it is, and what is wrong
  if (text.size() > kMaxLength) text = text.substr(0, kKept) + " ... " + text.substr(text.size() - kKept);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '?');
  return text;
}

template <typename Body>
Graph import_from(const std::string& label, Warnings& warnings, Body&& body) {
  Warnings said;
  try {
    Graph graph = body(said);
    for (const std::string& line : said.all()) warnings.add(one_line(line));
    return graph;
  } catch (Error& error) {
    throw Error(error.kind(), one_line(error.what())).within(label);
  }
}

Graph import_onnx(std::string_view bytes, const std::filesystem::path& folder, Warnings& warnings) {
  if (bytes.empty()) throw bad_input("is empty");
  const OnnxSkeleton skeleton =
      with_context("not a readable ONNX file", [&] { return read_onnx_skeleton(bytes); });
  onnx::ModelProto model;
  if (!model.ParseFromString(skeleton.model))
    throw bad_input("not a readable ONNX file: it cannot be decoded");
  for (const std::string& line : skeleton.left_out) warnings.add(line);
  ExternalData external(folder);
  return OnnxConverter(skeleton, model, external, warnings).convert();
}

}  // namespace

Graph import_network(const std::filesystem::path& file, Warnings& warnings, const ShapeBindings& bindings) {
  return import_from(file.string(), warnings, [&](Warnings& said) {
    const MappedFile mapped(file);
    if (mapped.bytes().starts_with(kZipMagic)) return import_torchscript(file, bindings, said);
    refuse_own_file(mapped.bytes());
    refuse_other_formats(mapped.bytes());
    if (is_text(mapped.bytes())) {
      return with_context("neither ONNX nor a network in text form",
                          [&] { return parse_graph_text(mapped.bytes()); });
    }
    const std::filesystem::path parent = file.parent_path();
    return import_onnx(mapped.bytes(), parent.empty() ? std::filesystem::path(".") : parent, said);
  });
}

bool is_network_text(const std::filesystem::path& file) {
  return with_context(file.string(), [&] { return is_text(MappedFile(file).bytes()); });
}

Graph import_onnx_bytes(std::string_view bytes, const std::string& label, Warnings& warnings) {
  return import_from(label, warnings, [&](Warnings& said) { return import_onnx(bytes, {}, said); });
}

}  // namespace layersim
