"""The diffusion of heat in 3D, the example of ImplicitGlobalGrid.jl."""
