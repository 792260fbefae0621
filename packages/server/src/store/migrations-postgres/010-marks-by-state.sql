-- Finds the few messages that are marked as unread, or as read, among any number of marks.
create index read_marks_by_state on read_marks (team_id, is_read, sequence);
