#include "sim/methods/transfer/operation_classes.h"

#include <cctype>
#include <map>

#include "sim/methods/transfer/name_clusters.h"

namespace layersim {
namespace {

std::vector<OperationClass> make_classes() {
  return {
      {"convolution",
       Bound::arithmetic,
       {"conv2d", "fusedconv2d", "conv1d", "conv3d", "convolution", "cudnnconvolution", "miopenconvolution",
        "mkldnnconvolution"}},
      {"convolution_filter_gradient",
       Bound::arithmetic,
       {"conv2dbackpropfilter", "conv3dbackpropfilterv2", "convolutionbackward", "cudnnconvolutionbackward",
        "cudnnconvolutionbackwardweight", "miopenconvolutionbackward"}},
      {"convolution_input_gradient",
       Bound::arithmetic,
       {"conv2dbackpropinput", "conv3dbackpropinputv2", "cudnnconvolutionbackwardinput",
        "cudnnconvolutiontranspose"}},
      {"depthwise_convolution",
       Bound::arithmetic,
       {"depthwiseconv2dnative", "depthwiseconv2dnativebackpropfilter", "depthwiseconv2dnativebackpropinput",
        "convdepthwise2d"}},
      {"matrix_product",
       Bound::arithmetic,
       {"matmul", "fusedmatmul", "batchmatmul", "batchmatmulv2", "einsum", "addmm", "mm", "bmm", "baddbmm",
        "linear"}},
      {"batch_norm",
       Bound::memory,
       {"fusedbatchnorm", "fusedbatchnormv3", "fusedbatchnormex", "batchnorm", "nativebatchnorm",
        "cudnnbatchnorm", "miopenbatchnorm"}},
      {"batch_norm_gradient",
       Bound::memory,
       {"fusedbatchnormgrad", "fusedbatchnormgradv3", "nativebatchnormbackward", "cudnnbatchnormbackward",
        "miopenbatchnormbackward"}},
      {"pooling",
       Bound::memory,
       {"maxpool", "avgpool", "maxpool2d", "maxpool2dwithindices", "avgpool2d", "adaptiveavgpool2d"}},
      {"pooling_gradient",
       Bound::memory,
       {"maxpoolgrad", "avgpoolgrad", "maxpool2dwithindicesbackward", "avgpool2dbackward",
        "adaptiveavgpool2dbackward"}},
      {"activation",
       Bound::memory,
       {"relu", "relu6", "leakyrelu", "elu", "sigmoid", "tanh", "softplus", "gelu", "silu", "hardtanh",
        "clampmin"}},
      {"activation_gradient",
       Bound::memory,
       {"relugrad", "relu6grad", "leakyrelugrad", "elugrad", "sigmoidgrad", "tanhgrad", "thresholdbackward",
        "gelubackward", "silubackward", "hardtanhbackward"}},
      {"update",
       Bound::memory,
       {"resourceapplygradientdescent", "resourceapplymomentum", "resourceapplykerasmomentum",
        "resourceapplyadam", "assignaddvariableop", "assignsubvariableop", "foreachadd", "foreachmul",
        "fusedadam", "fusedsgd"}},
      {"other",
       Bound::memory,
       {"addn",
        "addv2",
        "add",
        "argmax",
        "biasadd",
        "biasaddgrad",
        "broadcastto",
        "cast",
        "concatv2",
        "cat",
        "copy",
        "divnonan",
        "div",
        "dynamicstitch",
        "equal",
        "greaterequal",
        "logicaland",
        "mean",
        "mul",
        "neg",
        "pad",
        "randomuniform",
        "realdiv",
        "rsqrt",
        "rsqrtgrad",
        "slice",
        "softmax",
        "logsoftmax",
        "softmaxcrossentropywithlogits",
        "square",
        "squareddifference",
        "sub",
        "sum",
        "tile",
        "transpose",
        "hostrecv",
        "recv",
        "send",
        "fill",
        "nllloss",
        "dropout"}},
  };
}

// Of all known names, which stand class by class.
struct KnownNames {
  std::vector<std::string> names;
  std::vector<std::size_t> classes;
  std::map<std::string, std::size_t, std::less<>> index;

  KnownNames() {
    const auto classes_of_all = operation_classes();
    for (std::size_t c = 0; c < classes_of_all.size(); ++c) {
      for (const std::string_view name : classes_of_all[c].operations) {
        index.emplace(name, names.size());
        names.emplace_back(name);
        classes.push_back(c);
      }
    }
  }
};

}  // namespace

std::span<const OperationClass> operation_classes() {
  static const std::vector<OperationClass> kClasses = make_classes();
  return kClasses;
}

std::string canonical_operation(std::string_view name) {
  if (const std::size_t colons = name.rfind("::"); colons != std::string_view::npos)
    name.remove_prefix(colons + 2);
  std::string canonical;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) canonical += static_cast<char>(std::tolower(byte));
  }
  return canonical;
}

OperationMatch match_operation(std::string_view name) {
  static const KnownNames kKnown;
  static const NameClusters kClusters(kKnown.names);
  const std::string canonical = canonical_operation(name);
  if (const auto found = kKnown.index.find(canonical); found != kKnown.index.end())
    return {kKnown.classes[found->second], true, {}};
  const std::optional<std::size_t> nearest = kClusters.nearest_member(canonical);
  if (!nearest) return {operation_classes().size() - 1, false, {}};
  return {kKnown.classes[*nearest], false, kKnown.names[*nearest]};
}

}  // namespace layersim
