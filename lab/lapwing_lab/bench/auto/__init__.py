"""`lapwing bench auto`: whether the choice of `auto` is as good as the best."""
