"""Views of what a case would do or has done: census, timeline, task list, verification."""
