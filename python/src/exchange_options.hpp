#pragma once
// The options of an exchange as Python gives them.

#include <optional>
#include <string>

#include "lapwing/exchange/exchange.hpp"

namespace lapwing::python {

inline std::optional<Corners> corners_of(std::optional<bool> ordered) {
    if (!ordered) return {};
    return *ordered ? Corners::ordered : Corners::direct;
}

inline ExchangeOptions options_of(const std::string& transport, std::optional<bool> ordered, bool reverse, bool add,
                                  bool separate, Index chunk_bytes, const Mask* wet,
                                  const std::string& wet_form = "lists") {
    return {
        transport, corners_of(ordered),      reverse, add ? Arrival::add : Arrival::replace, {separate, chunk_bytes},
        wet,       {wet_form_from(wet_form)}};
}

}  // namespace lapwing::python
