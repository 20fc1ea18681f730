"""Maps of which cells are wet, from the files of models and of the earth."""
