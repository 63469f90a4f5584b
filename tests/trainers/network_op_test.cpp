#include <catch2/catch.hpp>
#include <fstream>

#include "sim/core/error.h"
#include "sim/store/csv_rows.h"
#include "tests/store/temporary_folder.h"
#include "trainers/dataset.h"

using namespace layersim;

namespace {

constexpr const char* kHeader =
    "gpu,framework,precision,mode,model,op_index,op,gemm_batch,m,n,k,input_shapes,output_shape,forward_ms,"
    "backward_ms,accumulate_ms\n";

// The rows after gpu, framework and precision.
SampleSet samples_of(const std::vector<std::string>& rows, SampleUse use = SampleUse::evaluation) {
  const tests::TemporaryFolder folder;
  const std::string file = folder.file("ops.csv");
  std::ofstream csv(file);
  csv << kHeader;
  for (const std::string& row : rows) csv << "v100-sxm2,pytorch2.1,fp32," << row << '\n';
  csv.close();
  Warnings warnings;
  SampleSet set;
  add_samples(set, read_csv(file, warnings), use);
  return set;
}

std::int64_t size(const Sample& sample, std::string_view parameter) { return sample.problem.size(parameter); }

}  // namespace

TEST_CASE("operators within a network become layers of their sizes") {
  const SampleSet set = samples_of({
      "forward,net,1,linear,1,24,32,16,2x12x16,2x12x32,0.5,,",
      "forward,net,2,matmul,4,8,9,10,2x2x8x10;2x2x10x9,2x2x8x9,0.5,,",
      "forward,net,3,add,,,,,2x12x32;1x12x32,2x12x32,0.5,,",
      "forward,net,4,div,,,,,2x12x32,2x12x32,0.5,,",
      "forward,net,5,gelu,,,,,2x12x32,2x12x32,0.5,,",
      "forward,net,6,layernorm,,,,,2x12x32,2x12x32,0.5,,",
      "forward,net,7,embedding,,,,,2x12,2x12x32,0.5,,",
  });
  REQUIRE(set.samples.size() == 7);
  CHECK(set.left_out.empty());
  CHECK(set.samples[0].problem.kind->name == "dense");
  CHECK(size(set.samples[0], "rows") == 24);
  CHECK(size(set.samples[0], "out_features") == 32);
  CHECK(set.samples[1].problem.kind->name == "matmul");
  CHECK(size(set.samples[1], "batch") == 4);
  CHECK(size(set.samples[2], "operand_elements") == 2 * 12 * 32 + 12 * 32);
  CHECK(size(set.samples[3], "operands") == 2);
  CHECK(size(set.samples[3], "operand_elements") == 2 * 12 * 32 + 1);
  CHECK(set.samples[4].problem.activation == Activation::gelu);
  CHECK(size(set.samples[5], "rows") == 24);
  CHECK(size(set.samples[5], "cols") == 32);
  CHECK(set.samples[6].family == nullptr);
  CHECK(size(set.samples[6], "lookups") == 24);
}

TEST_CASE("the time of an operator in training is that of both ways") {
  const SampleSet set = samples_of({
      "training,net,1,linear,1,24,32,16,2x12x16,2x12x32,0.5,1.25,0.125",
      "training,net,2,add,,,,,2x12x32;2x12x32,2x12x32,0.5,0,0",
      "training,net,3,contiguous,,,,,2x12x32,2x12x32,0.5,,",
      "training,net,4,embedding,,,,,2x12,2x12x32,0.5,1,0",
  });
  REQUIRE(set.samples.size() == 2);
  CHECK(set.samples[0].time_ms == Approx(1.875));
  CHECK(set.samples[0].has_gradient);
  CHECK(set.samples[1].time_ms == Approx(0.5));
  CHECK_FALSE(set.samples[1].has_gradient);
  CHECK_FALSE(set.query(set.samples[1]).layer.needs_input_gradient);
  CHECK(set.samples[1].row == 1);
  CHECK(set.left_out.size() == 2);
  CHECK(set.left_out.at("operator 'contiguous' without backward_ms") == 1);
}

TEST_CASE("operators within a network are not trained on") {
  const std::vector<std::string> row{"forward,net,1,linear,1,24,32,16,2x12x16,2x12x32,0.5,,"};
  CHECK(samples_of(row).samples.size() == 1);
  const SampleSet set = samples_of(row, SampleUse::training);
  CHECK(set.samples.empty());
  CHECK(set.left_out.at("rows of kind 'network_ops'") == 1);
}

TEST_CASE("an operator that is not known is counted, a shape that is none is an error") {
  CHECK(
      samples_of({"forward,net,1,fft,,,,,8,8,0.5,,"}).left_out.at("operator 'fft' has no layer kind here") ==
      1);
  for (const char* shapes :
       {"8x,8", "8x-1,8", "x8,8", "8;,8", "8x0,8", ",8", "8,", "99999999999999999999,8"}) {
    INFO(shapes);
    CHECK_THROWS_AS(samples_of({std::string("forward,net,1,softmax,,,,,") + shapes + ",0.5,,"}), Error);
  }
  CHECK_THROWS_AS(samples_of({"backward,net,1,softmax,,,,,8x8,8x8,0.5,,"}), Error);
}
