#pragma once
// What the module with the libtorch trainer exports; loaded by name (dlopen), since libtorch brings some 280
// shared libraries that no other command should pay for.

#include "trainers/dense_trainer.h"
#include "trainers/run_trainer.h"
#include "trainers/trainer.h"

extern "C" __attribute__((visibility("default"))) const layersim::Trainer* layersim_torch_trainer();
extern "C" __attribute__((visibility("default"))) const layersim::RunTrainer* layersim_torch_run_trainer();
extern "C" __attribute__((visibility("default"))) const layersim::DenseTrainer*
layersim_torch_dense_trainer();
