-- The tags of messages that clients of Mailpit's API have set. Without a row, a message has those of its mail.
create table message_tags (
  team_id text collate "C" not null,
  position bigint not null,
  -- A list in JSON.
  tags text collate "C" not null,
  -- That of the team at the last change.
  version bigint not null,
  primary key (team_id, position),
  foreign key (team_id, position) references messages (team_id, position) on delete cascade
);

create index message_tags_by_version on message_tags (team_id, version);

-- Incremented with every change of tags.
alter table team_state add column tag_version bigint not null default 0;
