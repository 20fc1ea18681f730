"""Kernels that Numba compiles: their arguments, and rows that its vectoriser knows."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from lapwing.base.error import UserError

_APART = "row of a view: the cells along x lie apart; make the field with order 'x'"


def is_compiled(kernel: Any) -> bool:
    """True if Numba compiles this function. Local; does not load Numba."""
    return type(kernel).__module__.startswith("numba.") and hasattr(kernel, "py_func")


def holds_lock(kernel: Any) -> bool:
    """True if it runs under Python's lock, so that threads run it one at a time. Local."""
    return not (is_compiled(kernel) and kernel.targetoptions.get("nogil", False))


def row(view: NDArray[Any], *index: int) -> NDArray[Any]:
    """The cells along x of a view at the other indices: `row(a, j)` is a[:, j], `row(a, j, k)` too.

    Local. In a function that Numba compiles its vectoriser knows that they are contiguous, which it
    does not of a[:, j]. `index`: one per other axis. UserError (ValueError in Numba) where cells
    along x are not contiguous in memory: the field has another order than "x".
    """
    where: tuple[Any, ...] = (slice(None), *index)
    cells: NDArray[Any] = view[where]
    if cells.size > 1 and cells.strides[0] != cells.itemsize:
        raise UserError(_APART)
    return cells


def register() -> None:
    """Tell Numba what `row` is; Numba calls this before it compiles (an entry point). Local."""
    from numba.core import types
    from numba.core.errors import TypingError
    from numba.extending import intrinsic, overload

    @intrinsic  # type: ignore[untyped-decorator]
    def contiguous(typing: Any, array: Any) -> Any:
        """The same array, of a type that says that it is contiguous."""

        def same(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            from numba.core.imputils import impl_ret_borrowed

            return impl_ret_borrowed(context, builder, signature.return_type, arguments[0])

        return array.copy(layout="C")(array), same

    @overload(row)  # type: ignore[untyped-decorator]
    def compiled_row(view: Any, *index: Any) -> Any:
        if not isinstance(view, types.Array) or view.ndim != 1 + len(index):
            given = getattr(view, "ndim", "no")
            raise TypingError(f"row of a view: {given} axes; give an index for each axis but x")

        def cells_of(view: Any, *index: Any) -> Any:
            cells = view[(slice(None), *index)]
            if cells.size > 1 and cells.strides[0] != cells.itemsize:
                raise ValueError(_APART)
            return contiguous(cells)

        return cells_of
