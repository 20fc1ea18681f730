"""Message plans: the cells that move, computed without MPI for any rank of any partition."""

from lapwing.core._core import FieldSpec as FieldSpec
from lapwing.core._core import Message as Message
from lapwing.core._core import MessagePlan as MessagePlan
from lapwing.core._core import Phase as Phase
from lapwing.core._core import Piece as Piece
from lapwing.core._core import WetShare as WetShare
from lapwing.core._core import gather_plan as gather_plan
from lapwing.core._core import halo_plan as halo_plan
