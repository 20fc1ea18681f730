#pragma once
// What is simulated: a model on its domain, as stages and the fields they move on.

#include <memory>
#include <string>
#include <vector>

#include "lapwing/memory/field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

#include "request.hpp"

namespace lapwing_simulate {

class Work {
  public:
    virtual ~Work() = default;
    [[nodiscard]] virtual std::vector<std::vector<lapwing::Stage>> cycle() = 0;
    // Puts the state of the start into the fields again.
    virtual void reset() = 0;
    // What the model does between two steps, outside its stages.
    virtual void begin_step() {}
    // Fields whose owned cells are compared between methods.
    [[nodiscard]] virtual std::vector<const lapwing::Field*> state() const = 0;
};

// The work that a request names, in its state at the start, with halos as wide as the method needs. Collective.
std::unique_ptr<Work> make_work(lapwing::Domain& domain, const Request& request, const std::string& method);

// A number of the bits of all owned cells of the fields, which does not depend on how the grid is cut. Collective.
std::uint64_t checksum(const lapwing::Domain& domain, const std::vector<const lapwing::Field*>& fields);

}  // namespace lapwing_simulate
