create table teams (
  id text primary key,
  name text not null,
  plan text not null,
  retention_days integer,
  domain text unique,
  last_position integer not null default 0,
  message_count integer not null default 0,
  -- Made at the first start of the all-in-one program.
  is_bootstrap integer not null default 0,
  created_at integer not null
) strict;

create table mailboxes (
  id text primary key,
  team_id text not null references teams (id),
  name text not null,
  domain text not null,
  created_at integer not null,
  updated_at integer not null,
  unique (domain, name),
  unique (team_id, name)
) strict;

-- A key stays bound to its mailbox's id after the mailbox is gone, and then opens nothing: no foreign key.
create table api_keys (
  id text primary key,
  team_id text not null references teams (id),
  name text not null,
  hash text not null unique,
  masked text not null,
  scopes text not null,
  mailbox_id text,
  expires_at integer,
  last_used_at integer,
  created_at integer not null
) strict;

create table messages (
  sequence integer primary key,
  team_id text not null references teams (id),
  position integer not null,
  id text not null unique,
  mailbox_id text not null references mailboxes (id),
  mailbox_with_tag text not null,
  tag text,
  domain text not null,
  tenant_subdomain text,
  sender text not null,
  sender_name text,
  recipient text not null,
  subject text not null,
  received_at integer not null,
  stored_at integer not null,
  size integer,
  attachment_count integer not null,
  subject_folded text not null,
  sender_folded text not null,
  recipient_folded text not null,
  mailbox_with_tag_folded text not null
) strict;

create unique index messages_by_position on messages (team_id, position);
create index messages_by_time on messages (team_id, received_at, position);
create index messages_by_mailbox on messages (mailbox_id, received_at, position);
-- A tag is rarely used in more than one mailbox, so this serves mailbox and tag together, too.
create index messages_by_tag on messages (team_id, tag, received_at, position) where tag is not null;

-- Apart from messages, so that lists read small pages.
create table message_contents (
  sequence integer primary key references messages (sequence) on delete cascade,
  headers text not null,
  html text,
  text text,
  -- Null where `lower(text)` is the same, which is so for ASCII: a third less to write for most mail.
  body_folded text,
  codes text not null,
  links text not null,
  attachments text not null,
  envelope text,
  parse text not null
) strict;

-- Which messages may hold a piece of text in a header field. `detail=none` keeps it small and cheap to write; what it
-- finds is checked against the folded columns.
create virtual table message_trigrams using fts5 (
  subject, sender, recipient, mailbox_with_tag,
  content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);

-- The index is written a moment after the messages; those with a larger sequence are searched without it.
create table trigram_progress (indexed_through integer not null) strict;
insert into trigram_progress (indexed_through) values (0);
