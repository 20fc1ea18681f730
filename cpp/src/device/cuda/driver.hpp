#pragma once
// The calls of CUDA's driver that lapwing uses, found in libcuda when it is loaded: no header and no library of CUDA is
// needed to build.

#include <cstddef>
#include <memory>

namespace lapwing {

// The driver's types, as its interface fixes them.
namespace cuda {
using Result = int;  // 0: success
using DeviceNumber = int;
using Address = unsigned long long;
struct OpaqueContext;
struct OpaqueModule;
struct OpaqueFunction;
struct OpaqueStream;
struct OpaqueEvent;
using Context = OpaqueContext*;
using Module = OpaqueModule*;
using Function = OpaqueFunction*;
using Stream = OpaqueStream*;
using Event = OpaqueEvent*;

constexpr Result success = 0, invalid_value = 1, not_ready = 600;
constexpr int oldest_driver = 11000;                      // 1000 times the release of CUDA that it is for
constexpr int memory_type = 2, device_ordinal = 9;        // attributes of pointers
constexpr unsigned type_of_device = 2;                    // memory of a device
constexpr unsigned non_blocking = 1, without_timing = 2;  // flags of streams and events
}  // namespace cuda

// Its functions under the names that the driver gives them, without their version.
struct CudaDriver {
    // Loads the driver and finds its functions. Throws OutsideError where there is none, or one without a function.
    // Local.
    static std::shared_ptr<const CudaDriver> load();

    std::shared_ptr<void> library;
    cuda::Result (*init)(unsigned flags);
    cuda::Result (*driver_version)(int* version);
    cuda::Result (*error_string)(cuda::Result, const char** text);
    cuda::Result (*device_get)(cuda::DeviceNumber*, int ordinal);
    cuda::Result (*device_count)(int* count);
    cuda::Result (*device_name)(char* name, int length, cuda::DeviceNumber);
    cuda::Result (*context_retain)(cuda::Context*, cuda::DeviceNumber);
    cuda::Result (*context_release)(cuda::DeviceNumber);
    cuda::Result (*context_push)(cuda::Context);
    cuda::Result (*context_pop)(cuda::Context*);
    cuda::Result (*priority_range)(int* least, int* greatest);
    cuda::Result (*allocate)(cuda::Address*, std::size_t bytes);
    cuda::Result (*release)(cuda::Address);
    cuda::Result (*allocate_host)(void**, std::size_t bytes, unsigned flags);
    cuda::Result (*release_host)(void*);
    cuda::Result (*pointer_attribute)(void* value, int attribute, cuda::Address);
    cuda::Result (*stream_create)(cuda::Stream*, unsigned flags, int priority);
    cuda::Result (*stream_destroy)(cuda::Stream);
    cuda::Result (*stream_wait)(cuda::Stream, cuda::Event, unsigned flags);
    cuda::Result (*event_create)(cuda::Event*, unsigned flags);
    cuda::Result (*event_destroy)(cuda::Event);
    cuda::Result (*event_record)(cuda::Event, cuda::Stream);
    cuda::Result (*event_query)(cuda::Event);
    cuda::Result (*copy)(cuda::Address to, cuda::Address from, std::size_t bytes, cuda::Stream);
    cuda::Result (*module_load)(cuda::Module*, const void* image);
    cuda::Result (*module_unload)(cuda::Module);
    cuda::Result (*module_function)(cuda::Function*, cuda::Module, const char* name);
    cuda::Result (*launch)(cuda::Function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned shared_bytes, cuda::Stream, void** arguments,
                           void** more);

    // Throws OutsideError with the call and the driver's text unless the code is success. Local.
    void require(cuda::Result code, const char* call) const;
    [[nodiscard]] const char* text_of(cuda::Result code) const;
};

}  // namespace lapwing
