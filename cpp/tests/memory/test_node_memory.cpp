// How much memory there is to take, as files of the system say.
#include "lapwing/memory/node_memory.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace lapwing;
namespace fs = std::filesystem;

namespace {

// A folder with the files of a system, for one test.
struct System {
    fs::path root = fs::temp_directory_path() / ("lapwing_node_memory_" + std::to_string(::getpid()));

    System() { fs::remove_all(root); }
    ~System() { fs::remove_all(root); }

    void put(const fs::path& path, const std::string& text) const {
        fs::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
    }
    void put_group(const std::string& group, const std::string& limit, Index used, Index unused_files) const {
        const fs::path folder = fs::path("sys/fs/cgroup") / group;
        put(folder / "memory.max", limit + "\n");
        put(folder / "memory.current", std::to_string(used) + "\n");
        put(folder / "memory.stat", "anon 5\ninactive_file " + std::to_string(unused_files) + "\n");
    }
};

}  // namespace

TEST_CASE("what is available is there") {
    CHECK(physical_memory() > Index{1} << 20);
    CHECK(available_memory() > 0);
    CHECK(available_memory() <= physical_memory());
}

TEST_CASE("the least of the node's memory and what the control groups leave") {
    const System system;
    CHECK(available_memory(system.root) == physical_memory());  // nothing says more
    system.put("proc/meminfo", "MemTotal: 9000 kB\nMemFree:  10 kB\nMemAvailable:    4000 kB\n");
    CHECK(available_memory(system.root) == 4000 * 1024);

    system.put_group("job/step", "1000000", 700000, 100000);
    CHECK(available_memory(system.root) == 4000 * 1024);  // not known to be in it
    system.put("proc/self/cgroup", "4:memory:/elsewhere\n0::/job/step\n");
    CHECK(available_memory(system.root) == 400000);
    system.put_group("job", "2000000", 1900000, 0);  // around it
    CHECK(available_memory(system.root) == 100000);
    system.put_group("job", "max", 1900000, 0);
    CHECK(available_memory(system.root) == 400000);
    system.put_group("", "500000", 600000, 0);  // of a container; more than allowed
    CHECK(available_memory(system.root) == 0);
}

TEST_CASE("control groups of version 1 have limits too") {
    const System system;
    system.put("proc/meminfo", "MemAvailable:    4000 kB\n");
    system.put("proc/self/cgroup", "5:cpuset:/\n4:memory:/job/step\n0::/\n");
    const auto put_group = [&](const std::string& group, const std::string& limit, Index used, Index unused_files) {
        const fs::path folder = fs::path("sys/fs/cgroup/memory") / group;
        system.put(folder / "memory.limit_in_bytes", limit + "\n");
        system.put(folder / "memory.usage_in_bytes", std::to_string(used) + "\n");
        system.put(folder / "memory.stat",
                   "inactive_file 7\ntotal_inactive_file " + std::to_string(unused_files) + "\n");
    };
    put_group("job/step", "9223372036854771712", 700000, 0);  // no limit
    CHECK(available_memory(system.root) == 4000 * 1024);
    put_group("job/step", "1000000", 700000, 100000);
    CHECK(available_memory(system.root) == 400000);
    put_group("job", "1000000", 900000, 0);  // around it
    CHECK(available_memory(system.root) == 100000);
}

TEST_CASE("more than the node has is not believed") {
    const System system;
    system.put("proc/meminfo", "MemAvailable: " + std::to_string(physical_memory() / 512) + " kB\n");
    CHECK(available_memory(system.root) == physical_memory());
}

TEST_CASE("processes share the last cache as far as its processors go") {
    const System system;
    CHECK(cache_share(1, system.root) == Index{32} << 20);  // nothing says
    CHECK(cache_share(4, system.root) == Index{8} << 20);
    const fs::path caches = "sys/devices/system/cpu/cpu0/cache";
    system.put(caches / "index0/size", "48K\n");
    system.put(caches / "index0/shared_cpu_list", "0\n");
    CHECK(cache_share(4, system.root) == 48 << 10);
    system.put(caches / "index1/size", "65536K\n");
    system.put(caches / "index1/shared_cpu_list", "0-2,16-18\n");
    CHECK(cache_share(1, system.root) == Index{64} << 20);
    CHECK(cache_share(4, system.root) == Index{16} << 20);
    CHECK(cache_share(48, system.root) == (Index{64} << 20) / 6);  // the others are next to other caches
    system.put(caches / "index2/size", "large\n");
    system.put(caches / "index2/shared_cpu_list", "0\n");
    system.put(caches / "index3/size", "1024K\n");
    system.put(caches / "index3/shared_cpu_list", "all\n");
    CHECK(cache_share(1, system.root) == Index{64} << 20);  // what cannot be read does not count
}
