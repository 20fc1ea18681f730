"""The commands of `lapwing`, one module each, which is imported when its command is used."""
