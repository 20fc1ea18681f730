"""`lapwing bench shallow-water`: a whole model compared with what people would use instead."""
