#include "device/cuda/driver.hpp"

#include <dlfcn.h>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

constexpr const char* library_name = "libcuda.so.1";

[[noreturn]] void no_driver(const std::string& got) {
    throw OutsideError(concat("driver of CUDA: got ", got, "; expected ", library_name, " of CUDA ",
                              cuda::oldest_driver / 1000,
                              " or later; install NVIDIA's driver, or exchange arrays of the host"));
}

template <class Function>
void find(const CudaDriver& driver, const char* name, Function& function) {
    void* const found = ::dlsym(driver.library.get(), name);
    if (found == nullptr) no_driver(concat("one without ", name));
    function = reinterpret_cast<Function>(found);
}

void find_memory_and_context(CudaDriver& driver) {
    find(driver, "cuDeviceGet", driver.device_get);
    find(driver, "cuDeviceGetCount", driver.device_count);
    find(driver, "cuDeviceGetName", driver.device_name);
    find(driver, "cuDevicePrimaryCtxRetain", driver.context_retain);
    find(driver, "cuDevicePrimaryCtxRelease_v2", driver.context_release);
    find(driver, "cuCtxPushCurrent_v2", driver.context_push);
    find(driver, "cuCtxPopCurrent_v2", driver.context_pop);
    find(driver, "cuCtxGetStreamPriorityRange", driver.priority_range);
    find(driver, "cuMemAlloc_v2", driver.allocate);
    find(driver, "cuMemFree_v2", driver.release);
    find(driver, "cuMemHostAlloc", driver.allocate_host);
    find(driver, "cuMemFreeHost", driver.release_host);
    find(driver, "cuPointerGetAttribute", driver.pointer_attribute);
}

void find_work(CudaDriver& driver) {
    find(driver, "cuStreamCreateWithPriority", driver.stream_create);
    find(driver, "cuStreamDestroy_v2", driver.stream_destroy);
    find(driver, "cuStreamWaitEvent", driver.stream_wait);
    find(driver, "cuEventCreate", driver.event_create);
    find(driver, "cuEventDestroy_v2", driver.event_destroy);
    find(driver, "cuEventRecord", driver.event_record);
    find(driver, "cuEventQuery", driver.event_query);
    find(driver, "cuMemcpyAsync", driver.copy);
    find(driver, "cuModuleLoadData", driver.module_load);
    find(driver, "cuModuleUnload", driver.module_unload);
    find(driver, "cuModuleGetFunction", driver.module_function);
    find(driver, "cuLaunchKernel", driver.launch);
}

}  // namespace

std::shared_ptr<const CudaDriver> CudaDriver::load() {
    const auto driver = std::make_shared<CudaDriver>();
    void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const reason = ::dlerror();
        no_driver(concat("none (", reason == nullptr ? "unknown" : reason, ")"));
    }
    driver->library = {library, [](void*) {}};  // stays: a driver that is unloaded takes threads of its own with it
    find(*driver, "cuInit", driver->init);
    find(*driver, "cuDriverGetVersion", driver->driver_version);
    find(*driver, "cuGetErrorString", driver->error_string);
    int version = 0;
    driver->require(driver->driver_version(&version), "cuDriverGetVersion");
    if (version < cuda::oldest_driver) no_driver(concat("that of CUDA ", version / 1000, ".", version % 1000 / 10));
    find_memory_and_context(*driver);
    find_work(*driver);
    driver->require(driver->init(0), "cuInit");
    return driver;
}

const char* CudaDriver::text_of(cuda::Result code) const {
    const char* text = nullptr;
    return error_string(code, &text) == cuda::success && text != nullptr ? text : "an unknown error";
}

void CudaDriver::require(cuda::Result code, const char* call) const {
    if (code == cuda::success) return;
    throw OutsideError(concat("call ", call, " of the driver of CUDA: got ", text_of(code),
                              "; expected success; see what nvidia-smi says about the device"));
}

}  // namespace lapwing
