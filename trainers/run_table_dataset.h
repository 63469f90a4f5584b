#pragma once
// A table of measured runs, and rows of single layers beside it, as a run set.

#include "sim/runs/run_table.h"
#include "trainers/dataset.h"
#include "trainers/run_dataset.h"

namespace layersim {

// The runs on one device. The columns `group` and `family`, where the table has them, name what is left out
// together: the architecture and its family; else the network's own name stands for both. The columns of
// operation_profile.h, where it has them, tell how the step divides. Throws bad_input for what is no time
// there.
void add_runs(const RunTable& table, RunSetBuilder& builder);

// Of each family, stack, device and pass so many rows, chosen by the seed: they are there to tell what runs
// do not, not to outweigh them.
void add_layers(const SampleSet& samples, std::size_t rows_each, std::uint64_t seed, RunSetBuilder& builder);
// Layers that were timed within networks. With the runs of their network they are left out.
void add_operators(const SampleSet& operators, RunSet& set, RunSetBuilder& builder);

}  // namespace layersim
