#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/store/csv_rows.h"
#include "sim/store/size_columns.h"
#include "tests/store/temporary_folder.h"
#include "trainers/dataset.h"

using namespace layersim;

namespace {

constexpr const char* kHeader =
    "gpu,framework,precision,mode,model,op_index,op,gemm_batch,m,n,k,input_shapes,output_shape,forward_ms,"
    "backward_ms,accumulate_ms\n";

SampleSet samples_of_csv(const std::string& text, SampleUse use = SampleUse::training) {
  const tests::TemporaryFolder folder;
  Warnings warnings;
  SampleSet set;
  add_samples(set, read_csv(folder.write("rows.csv", text), warnings), use);
  return set;
}

// Rows of operators within networks, after gpu, framework and precision.
SampleSet samples_of(const std::vector<std::string>& rows, SampleUse use = SampleUse::evaluation) {
  std::string csv = kHeader;
  for (const std::string& row : rows) csv += "v100-sxm2,pytorch2.1,fp32," + row + '\n';
  return samples_of_csv(csv, use);
}

std::int64_t size(const Sample& sample, std::string_view parameter) { return sample.problem.size(parameter); }

}  // namespace

TEST_CASE("square and rectangular convolutions stand side by side in a table") {
  const SampleSet set = samples_of_csv(
      "gpu,mode,batch,in_channels,out_channels,input_size,kernel,stride,input_w,input_h,kernel_w,kernel_h,"
      "stride_w,"
      "stride_h,time_ms\n"
      "k80,forward,8,3,64,32,5,2,,,,,,,1\n"
      "k80,forward,8,3,64,,,,20,30,3,7,2,1,1\n");
  REQUIRE(set.samples.size() == 2);
  CHECK(size(set.samples[0], "in_w") == 32);
  CHECK(size(set.samples[0], "kernel_h") == 5);
  CHECK(size(set.samples[0], "stride_h") == 2);
  CHECK(size(set.samples[1], "in_w") == 20);
  CHECK(size(set.samples[1], "in_h") == 30);
  CHECK(size(set.samples[1], "kernel_h") == 7);
  CHECK(size(set.samples[1], "stride_w") == 2);
  CHECK(size(set.samples[1], "stride_h") == 1);
}

TEST_CASE("convolutions of the campaign whose host time drifted know their place in it") {
  const SampleSet set = samples_of_csv(
      "gpu,mode,batch,in_channels,out_channels,input_size,kernel,time_ms,source\n"
      "k80,forward,8,3,64,32,5,1,neusight\n"
      "m60,forward,8,3,64,32,5,1,neusight\n"
      "k80,forward,8,3,32,32,5,1,neusight\n"
      "k80,forward,8,3,32,32,5,1,justus2018\n");
  REQUIRE(set.samples.size() == 4);
  CHECK(set.samples[0].campaign_position == 0.25);
  CHECK(set.samples[1].campaign_position == 0.5);
  CHECK(set.samples[2].campaign_position == 0.75);
  CHECK(set.samples[3].campaign_position == 0);
  CHECK(set.query(set.samples[2]).campaign_position == 0.75);
}

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
  CHECK(set.samples[6].family->name == "streaming");
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

TEST_CASE("no layer has a size of 0, whatever its row is from") {
  Table table("gemm");
  const std::vector<std::pair<const char*, double>> second_row{{"m", 1}, {"n", 1}, {"k", 0}, {"a_trans", 0}};
  for (const auto& [column, number] : second_row) table.add_column(column_spec(column)).numbers = {1, number};
  table.set_rows(2);
  SampleSet set;
  CHECK_THROWS_WITH(add_samples(set, table), "row 2: column 'k' is 0, but a size is at least 1");
  CHECK(set.samples.empty());
}

TEST_CASE("what is a size in a table is one in the layer kinds") {
  int sizes = 0;
  for (const LayerKind* kind : layer_kinds()) {
    for (const Parameter& parameter : kind->parameters) {
      if (!is_size_column(parameter.name)) continue;
      INFO(kind->name << ' ' << parameter.name);
      CHECK(parameter.low >= 1);
      ++sizes;
    }
  }
  CHECK(sizes > 50);
}
