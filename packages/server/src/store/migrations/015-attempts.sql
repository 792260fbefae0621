-- What senders tried, for a day, in the groups in which workers report it: a row for each attempt would slow down mail.
create table smtp_attempts (
  team_id text not null,
  -- Begins with the time of the report.
  id text not null,
  attempt_count integer not null,
  -- Words for the mailboxes and addresses of the group.
  words text not null,
  -- A line of JSON for each.
  attempts text not null,
  primary key (team_id, id)
) strict;

-- Has all that a search reads of the groups in which it finds nothing.
create index smtp_attempts_by_words on smtp_attempts (team_id, id, attempt_count, words);
