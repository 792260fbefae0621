-- What senders tried, for a day, in the groups in which workers report it: a row for each attempt would slow down mail.
create table smtp_attempts (
  team_id text collate "C" not null,
  -- Begins with the time of the report.
  id text collate "C" not null,
  attempt_count bigint not null,
  -- Words for the mailboxes and addresses of the group.
  words text collate "C" not null,
  -- A line of JSON for each.
  attempts text collate "C" not null,
  primary key (team_id, id)
);

-- Has all that a search reads of the groups in which it finds nothing.
create index smtp_attempts_by_words on smtp_attempts (team_id, id, attempt_count, words);
