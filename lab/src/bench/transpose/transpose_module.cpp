#include "bindings.hpp"
#include "transpose/hand_transpose.hpp"

namespace lapwing::bench {

namespace {

BoxArray box_array(const Array3& array, const Box& box) {
    return {array.data(), box, {array.stride(0), array.stride(1), array.stride(2)}};
}

}  // namespace

void bind_transpose(nb::module_& module) {
    nb::class_<HandTranspose>(module, "HandTranspose", "A transpose written by hand.")
        .def(
            "__init__",
            [](HandTranspose* self, const Domain& domain, const std::vector<Box>& from_boxes,
               const std::vector<Box>& to_boxes, const Array3& from, const Array3& to, bool collective) {
                const std::size_t me = domain.rank();
                new (self) HandTranspose(domain.comm(), from_boxes, to_boxes, box_array(from, from_boxes[me]),
                                         box_array(to, to_boxes[me]), collective);
            },
            "domain"_a, "from_boxes"_a, "to_boxes"_a, "source"_a, "target"_a, "collective"_a, nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(),
            nb::sig("def __init__(self, domain: lapwing.core._core.Domain, "
                    "from_boxes: collections.abc.Sequence[lapwing.core._core.Box], "
                    "to_boxes: collections.abc.Sequence[lapwing.core._core.Box], "
                    "source: numpy.typing.NDArray[numpy.float64], target: numpy.typing.NDArray[numpy.float64], "
                    "collective: bool) -> None"),
            "From the box of each rank to another of each: packed by hand, sent by MPI_Isend or (`collective`) "
            "MPI_Alltoallv. Arrays [x, y, z] of any strides are used in place. Collective.")
        .def("run", &HandTranspose::run, nb::call_guard<nb::gil_scoped_release>(), "Move all values once. Collective.")
        .def("close", &HandTranspose::close, "Free the communicator. Collective.");
}

}  // namespace lapwing::bench
