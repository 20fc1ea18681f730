#pragma once
// Transports direct and pull: no packing at either end. The sender puts its cells where they belong in the receiver's
// field (direct, the push of coarray programs), or the receiver gets them from where they lie in the sender's field
// (pull). Both use derived datatypes, through a window over the fields' own memory. They suit networks that walk
// strides by themselves, and save buffers: none are held, unless arrivals are added or must keep an order.
//
// One side exposes its memory and says by an empty message that it may be reached now: the receiver of a put when it
// starts, as its halo may be overwritten from then on, or the owner of the cells that are fetched. The other side
// reaches it and says by another message, of one number, that it is done. Waiting therefore waits for every neighbour
// to start, also where nothing comes back from it.
//
// A get is complete when its request is: nothing blocks. For a put, MPI cannot tell this without blocking (see
// onesided): `poll` waits for its own puts, until the receiver's next MPI call where the MPI writes by software.

#include <memory>
#include <optional>
#include <vector>

#include "lapwing/mpi/tags.hpp"
#include "lapwing/transport/leg.hpp"
#include "lapwing/transport/packed_messages.hpp"
#include "memory/sign_change.hpp"
#include "transport/letter.hpp"
#include "transport/one_sided/field_window.hpp"
#include "transport/strided_type.hpp"

namespace lapwing {

class UnpackedLeg : public Leg {
  public:
    ~UnpackedLeg() override;

    void connect() override;
    void start() override;
    std::size_t poll(std::span<int> arrived) override;
    void deliver(int receive) override;
    bool sent() override;
    void abandon() override;
    [[nodiscard]] std::vector<int> unsent() override;
    [[nodiscard]] Index buffer_bytes() const override { return buffers_ ? buffers_->bytes() : 0; }

  protected:
    enum class Way { put, get };
    UnpackedLeg(LegRequest request, Way way);

  private:
    // The part of a message that lies in one range of the other rank's memory.
    struct Part {
        MPI_Aint there = 0;
        OwnedType here_type, there_type;
    };
    // A message that this rank moves.
    struct Reach {
        int peer = 0;
        std::vector<Part> parts;
        int number_there = 0;   // number of the message in the leg of the other rank
        std::size_t begin = 0;  // where its parts' requests begin
        int moving = 0;         // parts that have not come
        bool done = true;
    };
    // The small messages of one kind, started again and again.
    struct Signals {
        std::vector<MPI_Request> requests;
        std::vector<int> numbers;  // scratch
        std::size_t active = 0;

        explicit Signals(std::size_t number) : requests(number, MPI_REQUEST_NULL), numbers(number) {}
        void start(std::size_t number);
        void start_all();
        std::span<const int> completed();
    };

    void receive_packed();
    [[nodiscard]] std::vector<std::span<std::byte>> exposed_ranges() const;
    void make_signals();
    [[nodiscard]] Letter describe(std::size_t exposed) const;
    void open(Letter& letter, const BoundMessage& here, Reach& reach);
    void move(std::size_t reach);
    void finish(std::size_t reach);
    void finish_puts();
    std::size_t finish_gets(std::span<int> arrived);
    void advance();
    std::size_t take_done(std::span<int> arrived);
    [[nodiscard]] std::size_t unfinished() const;

    Domain& domain_;
    Way way_;
    int tag_;
    Tag done_tag_;
    Arrival arrival_;
    std::vector<BoundMessage> reached_, exposed_;  // gone once connected
    std::vector<int> exposed_to_;                  // peers
    std::vector<std::span<std::byte>> memory_;     // memory of the fields
    std::vector<SignChange> signs_;                // sign changes of unpacked receives
    std::vector<PackedMessage> packed_;            // receives that are unpacked
    std::optional<MessageBuffers> buffers_;        // buffers of packed ones
    std::vector<std::shared_ptr<void>> keep_;
    std::unique_ptr<ExposedMemory> window_;
    std::vector<Reach> reaches_;
    std::vector<MPI_Request> gets_;
    std::vector<std::size_t> get_of_;  // number of the reach of each
    std::vector<int> numbers_;         // scratch, of gets
    std::vector<std::size_t> put_;     // reaches whose puts are not known to have come
    std::size_t to_move_ = 0;          // reaches that have not been done
    std::vector<char> was_reached_;    // for each exposed message: true if its peer is done
    std::vector<int> done_numbers_;    // numbers of exposed messages, as they come
    Signals ready_out_, ready_in_, done_out_, done_in_;
};

// Push: the sender puts.
class DirectLeg final : public UnpackedLeg {
  public:
    explicit DirectLeg(LegRequest request) : UnpackedLeg(std::move(request), Way::put) {}
};

// Pull: the receiver gets.
class PullLeg final : public UnpackedLeg {
  public:
    explicit PullLeg(LegRequest request) : UnpackedLeg(std::move(request), Way::get) {}
};

}  // namespace lapwing
