#pragma once
// The simulated work: a model on its domain, as stages and the fields they move on.

#include <memory>
#include <string>
#include <vector>

#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

#include "lapwing_simulate/request.hpp"

namespace lapwing_simulate {

class Work {
  public:
    virtual ~Work() = default;
    [[nodiscard]] virtual std::vector<lapwing::Stages> cycle() = 0;
    // Puts a state of its own for the start into the fields again, where the request has none.
    virtual void reset() {}
    // The fields that a case starts from, into which the driver puts what the request says under their names.
    [[nodiscard]] virtual std::vector<lapwing::AnyField*> restart() { return {}; }
    // Goes on from a step of the case; the state of that moment is in the fields.
    virtual void resume(lapwing::Index) {}
    // The work of the model between two steps, outside its stages.
    virtual void begin_step() {}
    // Fields whose owned cells are compared between methods.
    [[nodiscard]] virtual std::vector<const lapwing::AnyField*> state() const = 0;
};

// Makes a work on a domain, in its state at the start, with halos as wide as the strategy needs. Collective.
using MakeWork = std::unique_ptr<Work> (*)(lapwing::Domain&, const Request&, const std::string& strategy);

// Registers a kind of work under the name by which requests ask for it. A model defines one as a variable of a file in
// its folder simulate/, which is compiled into the driver:
//
//     const lapwing_simulate::RegisteredWork ice("ice", lapwing_simulate::make<IceWork>);
class RegisteredWork {
  public:
    RegisteredWork(const std::string& name, MakeWork make);
};

template <class Kind>
std::unique_ptr<Work> make(lapwing::Domain& domain, const Request& request, const std::string& strategy) {
    return std::make_unique<Kind>(domain, request, strategy);
}

// The work that a request names, for one of its methods. Collective; throws UserError for a name that is not
// registered.
std::unique_ptr<Work> make_work(lapwing::Domain& domain, const Request& request, const std::string& method);

// All ranks are simulated in the memory of this machine: throws UserError on all of them where it has not what fields
// of `bytes` on this rank, and likewise on the others, need. Collective.
void require_memory(const lapwing::Domain& domain, double bytes, const char* remedy);

// Puts the state that the request names into the fields that the work starts from, if it names one. Collective; throws
// UserError on all ranks for a field without a file, and a file that is not as long as its field.
void restore(const lapwing::Domain& domain, const Request& request, Work& work);

// A text of the bits of all owned cells of the fields, which does not depend on how the grid is cut. Collective.
std::string checksum(const lapwing::Domain& domain, const std::vector<const lapwing::AnyField*>& fields);

}  // namespace lapwing_simulate
