-- Which messages a team has read: those up to `read_through`, except for those with a mark that differs, and later ones
-- with a mark. A new message needs no row. Messages that are stored before this version count as read.
alter table teams add column read_through bigint not null default 0;
-- How many of the messages in `message_count` are read. Arriving mail does not change it.
alter table teams add column read_count bigint not null default 0;
-- Incremented with every change of marks; each mark has the number of its last change.
alter table teams add column mark_version bigint not null default 0;
update teams set read_through = last_position, read_count = message_count;

create table read_marks (
  sequence bigint primary key references messages (sequence) on delete cascade,
  team_id text collate "C" not null references teams (id),
  is_read bigint not null,
  version bigint not null
);

create index read_marks_by_version on read_marks (team_id, version);

-- The team that had the message. Null for messages that were deleted before this version.
alter table removed_messages add column team_id text collate "C";
