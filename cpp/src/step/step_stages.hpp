#pragma once
// The table of the stages of a step: each is checked and numbered once, scheduled once, and bound to its memory once.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lapwing/schedule/schedule.hpp"
#include "lapwing/step/stage.hpp"
#include "schedule/land/water.hpp"

namespace lapwing {

class StepStages {
  public:
    // Throws UserError for a stage that no step can run, or a field that is null or of another domain. Local.
    StepStages(const Domain& domain, std::vector<Stages> cycle);

    // Makes the contexts of the kernels on the memory that the fields have by now, and by this transport what returns
    // scattered values to their owners. Throws what making a context throws, on all ranks. Collective.
    void bind(Domain& domain, const std::string& transport, int threads);

    [[nodiscard]] const std::vector<Stages>& cycle() const { return cycle_; }
    [[nodiscard]] const std::vector<AnyField*>& fields() const { return fields_; }
    [[nodiscard]] std::vector<std::string> field_names() const;
    // The distinct names of the stages, and which of them a stage has.
    [[nodiscard]] const std::vector<std::string>& stage_names() const { return stage_names_; }
    [[nodiscard]] int name_of(std::size_t position, std::size_t stage) const { return name_of_[position][stage]; }
    // Returns the number that decides the width of a field's halo; null: the width is fixed. Local.
    [[nodiscard]] const double* demanded(int field) const { return demands_[field].cells; }
    // The stages as numbers.
    [[nodiscard]] const Cycle& specs() const { return specs_; }
    // The land that stages need not compute; null: they compute all of it.
    [[nodiscard]] const Water* water() const { return water_.get(); }
    // Returns the schedule under a strategy, which is made when it is first wanted. Throws UserError for a cycle
    // without stages. Local.
    [[nodiscard]] const Schedule& schedule(const Strategy& strategy) const;

  private:
    void number_stage(const Domain& domain, Stage& stage);
    void find_land(const Domain& domain);
    void find_pairs();
    [[nodiscard]] StageSpec numbered(const Domain& domain, const Stage& stage);
    void require_whole_loops(const Stage& stage) const;
    [[nodiscard]] Read numbered_read(const Domain& domain, const Stage& stage, const FieldRead& read);
    void require_known_demand(const Stage& stage, const FieldRead& read) const;
    int number_of(const Domain& domain, const Stage& stage, AnyField* field);

    std::vector<Stages> cycle_;
    std::vector<AnyField*> fields_;
    std::vector<int> pairs_;         // the other field of the pair of each, or -1; empty without faces that turn
    std::vector<Demand> demands_;    // one for each field
    std::vector<bool> read_around_;  // true if a stage reads around its cells
    std::vector<std::string> stage_names_;
    std::vector<std::vector<int>> name_of_;
    Cycle specs_;
    std::unique_ptr<const Water> water_;
    mutable std::map<int, Schedule> schedules_;  // by the repetitions of the strategy, as nothing else changes them
};

}  // namespace lapwing
