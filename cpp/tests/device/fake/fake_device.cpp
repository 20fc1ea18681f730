#include "fake_device.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "device/device_piece.hpp"
#include "fake_memory.hpp"

namespace lapwing::testing {

namespace {

FakeMemory& memory() { return FakeMemory::of_process(); }

struct FakeEvent {
    int number = 0;
    FakeStreams::Mark mark{};
};

FakeEvent& event_of(EventHandle event) { return *reinterpret_cast<FakeEvent*>(event); }
FakeDevice& device_of(void* self) { return *static_cast<FakeDevice*>(self); }

}  // namespace

FakeDevice::FakeDevice(unsigned seed, int number)
    : number_(number), random_(seed), streams_(seed + 1), default_stream_(streams_.make()) {}

FakeDevice::~FakeDevice() { streams_.finish_all(); }

int FakeDevice::fail(const char* text) {
    const char* none = nullptr;
    failure_.compare_exchange_strong(none, text);
    return 1;
}

FakeStreams::Stream* FakeDevice::stream_of(StreamHandle stream) {
    return stream == nullptr ? default_stream_ : reinterpret_cast<FakeStreams::Stream*>(stream);
}

std::byte* FakeDevice::seen(const void* address, std::size_t bytes) { return memory().usable(address, bytes); }

void FakeDevice::run(StreamHandle stream, std::function<void()> work) {
    streams_.put(stream_of(stream), {}, std::move(work));
}

void FakeDevice::synchronize(StreamHandle stream) { streams_.finish(streams_.mark(stream_of(stream))); }

bool FakeDevice::ignores(Mutant::Call call, EventHandle event) const {
    return mutant_.call == call && mutant_.event == event_of(event).number;
}

int FakeDevice::put_copy(void* to, const void* from, std::size_t bytes, StreamHandle stream) {
    std::byte* const target = seen(to, bytes);
    const std::byte* const source = seen(from, bytes);
    if (target == nullptr || source == nullptr) return fail("copy outside device memory and pinned memory");
    ++copies_;
    const bool out = memory().kind_of(from).on_device;
    const bool strays = mutant_.call == (out ? Mutant::Call::copy_out : Mutant::Call::copy_in);
    streams_.put(
        strays ? default_stream_ : stream_of(stream), [=] { std::memset(target, poison, bytes); },
        [=] { std::memcpy(target, source, bytes); });
    return 0;
}

// A launch of the kernel, with addresses that can be used.
struct FakeDevice::Move {
    std::vector<DevicePiece> pieces;
    std::vector<char*> arrays;
    DeviceMove launch;
    FakeDevice& device;
    std::vector<int> order{};  // of the pieces, by chance

    // Reads the tables, which are there when the kernel runs and not before.
    bool read(int count) {
        const auto* const table = seen(launch.pieces, count * sizeof(DevicePiece));
        if (table == nullptr) return false;
        const auto* const first = reinterpret_cast<const DevicePiece*>(table);
        pieces.assign(first, first + count);
        launch.offsets = reinterpret_cast<const DeviceInteger*>(seen(launch.offsets, 1));
        order.resize(pieces.size());
        std::iota(order.begin(), order.end(), 0);
        const std::scoped_lock lock(device.mutex_);
        std::ranges::shuffle(order, device.random_);
        return true;
    }
    // Calls visit(where in the array, where in the buffer) for each value; false where one leaves its memory.
    template <class Visit>
    bool each(Visit&& visit) {
        for (const int number : order) {
            const DevicePiece& piece = pieces[number];
            const auto* const slot = seen(launch.arrays + piece.array, sizeof(char*));
            if (slot == nullptr) return false;
            char* const array = *reinterpret_cast<char* const*>(slot);
            for (unsigned n = 0; n < values_of(piece); ++n) {
                std::byte* const there = seen(array + place_of(piece, launch.offsets, n), piece.value_size);
                const DeviceInteger offset = piece.buffered + static_cast<DeviceInteger>(n) * piece.value_size;
                std::byte* const packed = seen(launch.buffer + offset, piece.value_size);
                if (there == nullptr || packed == nullptr) return false;
                visit(piece, n, there, packed);
            }
        }
        return true;
    }
    void spoil() {
        const bool inside = each([&](const DevicePiece& piece, unsigned, std::byte* there, std::byte* packed) {
            std::memset(launch.packs != 0 ? packed : there, poison, piece.value_size);
        });
        if (!inside) device.fail("kernel outside device memory");
    }
    void carry_out() {
        each([&](const DevicePiece& piece, unsigned n, std::byte* there, std::byte* packed) {
            // the arithmetic of the kernel, which finds the places of both again
            char* const array = reinterpret_cast<char*>(there) - place_of(piece, launch.offsets, n);
            char* const buffer =
                reinterpret_cast<char*>(packed) - piece.buffered - static_cast<DeviceInteger>(n) * piece.value_size;
            move_value(piece, launch.offsets, array, buffer, launch.packs != 0, n);
        });
    }
};

int FakeDevice::put_move(const DeviceMove& launch, int pieces, StreamHandle stream) {
    ++launches_;
    const auto move = std::make_shared<Move>(Move{{}, {}, launch, *this});
    streams_.put(
        stream_of(stream),
        [=, this] { move->read(pieces) ? move->spoil() : static_cast<void>(fail("kernel outside device memory")); },
        [=] { move->carry_out(); });
    return 0;
}

// ---- the table

struct FakeDevice::Table {
    static const char* text_of(void* self, int) {
        const char* const text = device_of(self).failure_;
        return text == nullptr ? "no failure" : text;
    }
    static int code(FakeDevice& device) { return device.failure_ == nullptr ? 0 : 1; }
    static int allocate(void* self, std::size_t bytes, void** address) {
        *address = memory().allocate(bytes, device_of(self).number_);
        return *address == nullptr ? device_of(self).fail("no memory") : code(device_of(self));
    }
    static int release(void* self, void* address) {
        device_of(self).streams_.finish_all();  // as drivers do
        return memory().release(address) ? 0 : device_of(self).fail("release of no memory of the device");
    }
    static int allocate_pinned(void* self, std::size_t bytes, void** address) {
        *address = memory().allocate_pinned(bytes);
        return *address == nullptr ? device_of(self).fail("no memory") : code(device_of(self));
    }
    static int release_pinned(void* self, void* address) {
        device_of(self).streams_.finish_all();
        return memory().release_pinned(address) ? 0 : device_of(self).fail("release of no pinned memory");
    }
    static int kind_of(void* self, const void* address, AddressKind* kind) {
        *kind = memory().kind_of(address);
        return code(device_of(self));
    }
    static int make_stream(void* self, bool, StreamHandle* stream) {
        *stream = reinterpret_cast<StreamHandle>(device_of(self).streams_.make());
        return code(device_of(self));
    }
    static int drop_stream(void* self, StreamHandle stream) {
        device_of(self).synchronize(stream);
        return 0;
    }
    static int make_event(void* self, EventHandle* event) {
        *event = reinterpret_cast<EventHandle>(new FakeEvent{device_of(self).events_++});
        return code(device_of(self));
    }
    static int drop_event(void*, EventHandle event) {
        delete &event_of(event);
        return 0;
    }
    static int record(void* self, EventHandle event, StreamHandle stream) {
        FakeDevice& device = device_of(self);
        if (device.ignores(Mutant::Call::record, event)) return code(device);
        event_of(event).mark = device.streams_.mark(device.stream_of(stream));
        return code(device);
    }
    static int await(void* self, StreamHandle stream, EventHandle event) {
        FakeDevice& device = device_of(self);
        if (device.ignores(Mutant::Call::await, event)) return code(device);
        device.streams_.put_wait(device.stream_of(stream), event_of(event).mark);
        return code(device);
    }
    static int has_happened(void* self, EventHandle event, bool* happened) {
        FakeDevice& device = device_of(self);
        *happened =
            device.ignores(Mutant::Call::has_happened, event) || device.streams_.has_happened(event_of(event).mark);
        return code(device);
    }
    static int copy(void* self, void* to, const void* from, std::size_t bytes, StreamHandle stream) {
        const int put = device_of(self).put_copy(to, from, bytes, stream);
        return put == 0 ? code(device_of(self)) : put;
    }
    static int move(void* self, const DeviceMove& launch, int pieces, unsigned, StreamHandle stream) {
        const int put = device_of(self).put_move(launch, pieces, stream);
        return put == 0 ? code(device_of(self)) : put;
    }
};

DeviceFunctions FakeDevice::functions() {
    return {this,
            number_,
            Table::text_of,
            Table::allocate,
            Table::release,
            Table::allocate_pinned,
            Table::release_pinned,
            Table::kind_of,
            Table::make_stream,
            Table::drop_stream,
            Table::make_event,
            Table::drop_event,
            Table::record,
            Table::await,
            Table::has_happened,
            Table::copy,
            Table::move};
}

FakeLibrary::FakeLibrary(unsigned seed, int number)
    : fake(std::make_shared<FakeDevice>(seed, number)),
      device(std::make_shared<Device>(fake->functions(), "fake", fake)) {}

}  // namespace lapwing::testing
