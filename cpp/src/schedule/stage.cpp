#include "lapwing/schedule/stage.hpp"

#include <algorithm>

#include "grid/periodic_image.hpp"

namespace lapwing {

bool writes(const StageSpec& stage, int field) { return std::ranges::count(stage.writes, field) > 0; }

std::vector<Box> computed_boxes(const StageSpec& stage, const Box& owned, const Extent& rim, const Grid& grid) {
    Box box = grow(owned, rim);
    for (std::size_t a = 0; a < 3; ++a) {
        if (grid.periodic[a]) continue;
        box.lo[a] = std::max(box.lo[a], Index{0});
        box.hi[a] = std::min(box.hi[a], grid.size[a]);
    }
    if (!stage.region) return {box};
    std::vector<Box> boxes;
    for (const Index3& offset : periodic_images(grid, box)) {
        const Box part = intersect(box, shift(*stage.region, offset));
        if (!part.empty()) boxes.push_back(part);
    }
    return boxes;
}

}  // namespace lapwing
