#include "sim/parallel/cluster.h"

#include "sim/core/error.h"

namespace layersim {
namespace {

void name_link(std::optional<Interconnect>& link, Interconnect named, const std::string& what) {
  if (link) throw bad_use("--interconnect names " + link->key + " and " + named.key + ", both " + what);
  link = std::move(named);
}

}  // namespace

Cluster make_cluster(const ClusterOptions& options, const Device& device) {
  Cluster cluster;
  cluster.devices = options.devices;
  cluster.hosts = options.hosts;
  if (options.devices % options.hosts != 0) {
    throw bad_use(std::to_string(options.devices) + " GPUs do not divide evenly among " +
                  std::to_string(options.hosts) + " hosts");
  }
  const InterconnectDb links;
  std::string_view names = options.interconnects;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    Interconnect link = links.find(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    const bool is_inside = link.scope == InterconnectScope::host;
    name_link(is_inside ? cluster.inside : cluster.between, std::move(link),
              is_inside ? "within a host" : "between hosts");
  }
  if (cluster.between && cluster.hosts == 1) {
    throw bad_use("--interconnect " + cluster.between->key +
                  " joins hosts: --nodes N says how many there are");
  }
  if (cluster.inside && cluster.devices_per_host() == 1) {
    throw bad_use("--interconnect " + cluster.inside->key + " joins devices of a host, and each has one");
  }
  if (!cluster.inside && cluster.devices_per_host() > 1) cluster.inside = links.of_device(device);
  if (!cluster.between && cluster.hosts > 1) cluster.between = links.find(kDefaultNetwork);
  return cluster;
}

std::string interconnect_text(const Cluster& cluster) {
  std::string text = cluster.inside ? cluster.inside->key : "";
  if (cluster.between) text += (text.empty() ? "between hosts " : ", between hosts ") + cluster.between->key;
  return text;
}

}  // namespace layersim
