"""`lapwing bench acoustic`: a whole stencil, the wave equation in 3D, compared with Devito."""
