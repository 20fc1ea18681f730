#pragma once
// The table of functions through which lapwing uses a device. A driver that is loaded at run time fills it (cuda.hpp),
// or the fake device of the tests; HIP could.

#include <cstddef>

namespace lapwing {

struct DeviceMove;  // the kernel's arguments

struct OpaqueStream;
struct OpaqueEvent;
// Streams and events as their library knows them. The null stream is the device's default stream.
using StreamHandle = OpaqueStream*;
using EventHandle = OpaqueEvent*;

// The place of an address: in memory of the device with this number, or of the host.
struct AddressKind {
    bool on_device = false;
    int number = 0;
};

// Each function takes `self` first and returns a code, 0 for success. Copies, launches and waits of streams return
// before they are carried out; a stream carries out one after the other.
struct DeviceFunctions {
    void* self;
    int number;  // the device's number
    // Returns a text about a code.
    const char* (*text_of)(void* self, int code);
    int (*allocate)(void* self, std::size_t bytes, void** address);
    int (*release)(void* self, void* address);
    // Memory of the host that the device reads and writes by itself.
    int (*allocate_pinned)(void* self, std::size_t bytes, void** address);
    int (*release_pinned)(void* self, void* address);
    int (*kind_of)(void* self, const void* address, AddressKind* kind);
    int (*make_stream)(void* self, bool urgent, StreamHandle* stream);
    // Tasks that are still on the stream are carried out.
    int (*drop_stream)(void* self, StreamHandle stream);
    int (*make_event)(void* self, EventHandle* event);
    int (*drop_event)(void* self, EventHandle event);
    // The event happens when all that is on the stream so far has been carried out.
    int (*record)(void* self, EventHandle event, StreamHandle stream);
    // Later work on the stream waits for the event as it was recorded last, if it was ever recorded.
    int (*await)(void* self, StreamHandle stream, EventHandle event);
    // True if the event has happened as it was recorded last, or was never recorded.
    int (*has_happened)(void* self, EventHandle event, bool* happened);
    // Copies from device or pinned memory to device or pinned memory.
    int (*copy)(void* self, void* to, const void* from, std::size_t bytes, StreamHandle stream);
    // Moves all values of `pieces` pieces, of which the longest has `most` values.
    int (*move)(void* self, const DeviceMove& move, int pieces, unsigned most, StreamHandle stream);
};

}  // namespace lapwing
