#include "sim/report/device_json.h"

namespace layersim {

std::optional<double> own_peak_gflops(const Device& device, Precision precision) {
  const Peak peak = matrix_peak(device, compute_dtype(precision), precision);
  return peak.fallback ? std::nullopt : std::optional(peak.gflops);
}

Json device_json(const Device& device) {
  Json json;
  json["key"] = device.key;
  json["name"] = device.display_name;
  json["aliases"] = device.aliases;
  json["type"] = device.device_type;
  json["manufacturer"] = device.manufacturer;
  json["technology"] = device.technology;
  json["market"] = device.market;
  json["year"] = device.year;
  json["multiprocessors"] = device.multiprocessors;
  json["cores"] = device.cores;
  json["memory_gib"] = device.memory_gib;
  json["memory_bandwidth_gb_s"] = device.memory_bandwidth_gb_s;
  Json& peaks = json["peak_gflops"] = Json::object();
  for (std::size_t i = 0; i < precision_names().size(); ++i) {
    const auto peak = own_peak_gflops(device, static_cast<Precision>(i));
    peaks[std::string(precision_names()[i])] = peak ? Json(*peak) : Json(nullptr);
  }
  return json;
}

std::string devices_json(const std::vector<Device>& devices) {
  Json list = Json::array();
  for (const Device& device : devices) list.push_back(device_json(device));
  return Json{{"schema_version", 1}, {"gpus", list}}.dump(2) + '\n';
}

}  // namespace layersim
