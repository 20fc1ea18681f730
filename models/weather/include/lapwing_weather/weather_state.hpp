#pragma once
// The state of the air at one time.

#include <array>
#include <vector>

#include "lapwing/exchange/field.hpp"

#include "lapwing_weather/points.hpp"

namespace lapwing_weather {

using DoubleField = lapwing::Field<double>;
using Fields = std::vector<DoubleField>;

struct Weather {
    std::array<DoubleField, 2> wind;  // at x and y faces, m/s
    DoubleField temperature;          // K
    DoubleField pressure;             // of the surface, Pa
    Fields humidity;                  // kg/kg; one where moist, else none
};

// All fields of a state, in the order above.
Fields fields_of(const Weather& weather);

// The fields that the air carries: temperature and any humidity.
Fields scalars_of(const Weather& weather);

// Local.
std::vector<Points> points_of(const Fields& fields);

}  // namespace lapwing_weather
