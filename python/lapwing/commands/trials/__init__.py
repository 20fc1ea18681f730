"""The subjects of `lapwing verify` (a case, a model or a program), and its findings."""
