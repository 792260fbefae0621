-- The tags of messages that clients of Mailpit's API have set. Without a row, a message has those of its mail.
create table message_tags (
  team_id text not null,
  position integer not null,
  -- A list in JSON.
  tags text not null,
  -- That of the team at the last change.
  version integer not null,
  primary key (team_id, position),
  foreign key (team_id, position) references messages (team_id, position) on delete cascade
) strict;

create index message_tags_by_version on message_tags (team_id, version);

-- Incremented with every change of tags.
alter table team_state add column tag_version integer not null default 0;
