#pragma once
// A site that predicts by the data sheet, and files to give it.

#include <fstream>

#include "sim/core/json.h"
#include "sim/import/importer.h"
#include "sim/web/site.h"
#include "sim/zoo/zoo.h"
#include "tests/store/temporary_folder.h"

namespace layersim::tests {

struct TestSite {
  explicit TestSite(const SiteOptions& options = {})
      : site(options, make_predictor("roofline"), Assets("/nowhere")) {}

  HttpAnswer get(const std::string& path, const std::map<std::string, std::string>& query = {}) {
    return site.answer({.method = "GET",
                        .path = path,
                        .query = {query.begin(), query.end()},
                        .host = "localhost",
                        .origin = "",
                        .content_type = "",
                        .body = "",
                        .upload_file = {}});
  }
  HttpAnswer post(const std::string& path, const std::string& body) {
    return site.answer({.method = "POST",
                        .path = path,
                        .query = {},
                        .host = "localhost",
                        .origin = "http://localhost",
                        .content_type = "application/json",
                        .body = body,
                        .upload_file = {}});
  }
  HttpAnswer upload(const std::string& name, const std::string& bytes) {
    const std::string file = folder.write("upload", bytes);
    return site.answer({.method = "POST",
                        .path = "/api/v1/networks",
                        .query = {{"name", name}},
                        .host = "localhost",
                        .origin = "",
                        .content_type = "",
                        .body = "",
                        .upload_file = file});
  }

  TemporaryFolder folder;
  Site site;
};

// A network of the zoo as the bytes of an ONNX file.
inline std::string onnx_bytes(const TemporaryFolder& folder, const std::string& name) {
  const std::string file = folder.write("network.onnx", "");
  export_onnx(find_zoo_network(name)->build(), file);
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline std::string message_of(const HttpAnswer& answer) {
  return Json::parse(answer.body)["error"]["message"].get<std::string>();
}

}  // namespace layersim::tests
