"""What measures, predicts and explains lapwing: commands, machines, and the measurements."""
