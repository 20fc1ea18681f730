"""Whether a better partition of a sea pays: steps on cuts by several methods."""
