#include "lapwing/base/version.hpp"

#include <cstdio>

int main() {
    std::printf("lapwing %s\n", lapwing::version());
    return 0;
}
