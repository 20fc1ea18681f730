#pragma once
// All that a model needs, in one include: domain, fields, stages, steps, exchanges, and the frame of a program.

#include "lapwing/base/error.hpp"
#include "lapwing/device/cuda.hpp"
#include "lapwing/device/device.hpp"
#include "lapwing/exchange/array_exchange.hpp"
#include "lapwing/exchange/device_exchange.hpp"
#include "lapwing/exchange/exchange.hpp"
#include "lapwing/exchange/field.hpp"
#include "lapwing/mpi/agreed_setup.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/mpi/run_main.hpp"
#include "lapwing/step/step.hpp"
#include "lapwing/step/threads.hpp"
#include "lapwing/step/typed_stage.hpp"
#include "lapwing/store/records.hpp"
#include "lapwing/store/restart.hpp"
