"""What a case would do or has done: census, timeline, task list, verification."""
