-- Every row of a tenant belongs to a team, and its key begins with the team. This step moves what is small. The messages, deliveries,
-- rejections and removed messages stay in old tables, from which store/sqlite-backfill.ts moves them a few at a time.
drop table text_slices;
drop table text_blocks;
drop index messages_by_position;
drop index messages_by_time;
drop index messages_by_mailbox;
drop index messages_by_tag;
drop index removed_messages_with_objects;
drop index removed_messages_by_time;
drop index read_marks_by_version;
drop index read_marks_by_state;
drop index rejections_by_team;
drop index deliveries_by_endpoint;
drop index deliveries_pending;
drop index deliveries_failed;
drop index deliveries_succeeded;
drop index deliveries_leased;
alter table mailboxes rename to old_mailboxes;
alter table messages rename to old_messages;
alter table message_contents rename to old_message_contents;
alter table read_marks rename to old_read_marks;
alter table removed_messages rename to old_removed_messages;
alter table rejections rename to old_rejections;
alter table webhook_endpoints rename to old_webhook_endpoints;
alter table deliveries rename to old_deliveries;
alter table delivery_attempts rename to old_delivery_attempts;

-- What every message changes. Its row is the lock that orders a team.
create table team_state (
  team_id text primary key,
  last_position integer not null default 0,
  message_count integer not null default 0,
  -- See index_blocks.
  indexed_through integer not null default 0,
  index_resets integer not null default 0,
  read_through integer not null default 0,
  read_count integer not null default 0,
  mark_version integer not null default 0
) strict, without rowid;

-- Names of mailboxes on a domain that does not belong to their team, such as the root domain. On its own domain, a team may use
-- every name. A mailbox with neither was caught: it lost the name, or never had it.
create table root_names (
  domain text not null,
  name text not null,
  team_id text not null,
  mailbox_id text not null,
  primary key (domain, name)
) strict, without rowid;

create index root_names_by_mailbox on root_names (team_id, mailbox_id);

-- Teams that received mail for an address, or for a whole domain where the name is empty. A repeated announcement is looked
-- up there too, so that it does not show one team's mail to another.
create table former_holders (
  domain text not null,
  name text not null,
  team_id text not null,
  left_at integer not null,
  primary key (domain, name, team_id)
) strict, without rowid;

create index former_holders_by_time on former_holders (left_at);

create table mailboxes (
  team_id text not null,
  id text not null,
  name text not null,
  domain text not null,
  -- Created by mail for a domain or name that does not belong to the team.
  is_caught integer not null default 0,
  created_at integer not null,
  updated_at integer not null,
  -- Set while its messages are being removed: the mailbox and its messages are invisible.
  removed_at integer,
  primary key (team_id, id),
  unique (team_id, name)
) strict;

create index mailboxes_removed on mailboxes (team_id, id) where removed_at is not null;

create table messages (
  team_id text not null,
  position integer not null,
  id text not null,
  mailbox_id text not null,
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
  mailbox_with_tag_folded text not null,
  -- The mailbox's name when the mail came: the keys of its objects keep it when the mailbox is renamed.
  object_mailbox text not null,
  primary key (team_id, position),
  unique (team_id, id),
  foreign key (team_id, mailbox_id) references mailboxes (team_id, id)
) strict;

create index messages_by_time on messages (team_id, received_at, position);
create index messages_by_mailbox on messages (team_id, mailbox_id, received_at, position);
-- A tag is rarely used in more than one mailbox, so this serves mailbox and tag together, too.
create index messages_by_tag on messages (team_id, tag, received_at, position) where tag is not null;

-- Apart from messages, so that lists read small pages.
create table message_contents (
  team_id text not null,
  position integer not null,
  headers text not null,
  html text,
  text text,
  -- Null where `lower(text)` is the same, which is so for ASCII: a third less to write for most mail.
  body_folded text,
  codes text not null,
  links text not null,
  attachments text not null,
  envelope text,
  parse text not null,
  primary key (team_id, position),
  foreign key (team_id, position) references messages (team_id, position) on delete cascade
) strict;

create table read_marks (
  team_id text not null,
  position integer not null,
  is_read integer not null,
  version integer not null,
  primary key (team_id, position),
  foreign key (team_id, position) references messages (team_id, position) on delete cascade
) strict, without rowid;

create index read_marks_by_version on read_marks (team_id, version);
create index read_marks_by_state on read_marks (team_id, is_read, position);

-- Remembered for a while, so that announcing one of them again does not bring it back.
create table removed_messages (
  team_id text not null,
  id text not null,
  domain text not null,
  mailbox text not null,
  removed_at integer not null,
  -- 1 until the raw mail and its metadata are gone as well.
  has_objects integer not null,
  primary key (team_id, id)
) strict, without rowid;

create index removed_messages_with_objects on removed_messages (team_id, id) where has_objects = 1;
create index removed_messages_by_time on removed_messages (team_id, removed_at);

-- Some consecutive positions of a team (see store/text-index.ts), with the bounds of their times. Positions up to a team's
-- `indexed_through` are in such blocks; the signatures of what comes after are only in memory. It is set back when what is indexed
-- of a stored message changes, and `index_resets` with it, so that a block built meanwhile is thrown away.
create table index_blocks (
  team_id text not null,
  block integer not null,
  newest_received_at integer not null,
  oldest_received_at integer not null,
  primary key (team_id, block)
) strict, without rowid;

-- Which messages of a block have one slot of the signature (domain/signature.ts): see store/text-slice.ts. No row for none.
create table index_slices (
  team_id text not null,
  block integer not null,
  slot integer not null,
  bits blob not null,
  primary key (team_id, block, slot),
  foreign key (team_id, block) references index_blocks (team_id, block) on delete cascade
) strict, without rowid;

-- Rejected mail, the newest of each team only. The team is empty where no team has the domain.
create table rejections (
  team_id text not null,
  id integer not null,
  at integer not null,
  sender text not null,
  recipient text not null,
  code text not null,
  reason text not null,
  primary key (team_id, id)
) strict;

-- The operator's list of all teams.
create index rejections_by_id on rejections (id);

create table webhook_endpoints (
  team_id text not null,
  id text not null,
  url text not null,
  description text,
  mailbox text,
  tag text,
  is_active integer not null default 1,
  disabled_reason text,
  secret text not null,
  secret_masked text not null,
  old_secrets text not null default '[]',
  failing_since integer,
  created_at integer not null,
  updated_at integer not null,
  removed_at integer,
  primary key (team_id, id),
  unique (team_id, url)
) strict;

create table deliveries (
  team_id text not null,
  id text not null,
  endpoint_id text not null,
  event text not null,
  event_id text not null,
  message_id text,
  body text not null,
  status text not null,
  attempt integer not null default 0,
  attempts_before integer not null default 0,
  next_attempt_at integer,
  http_status integer,
  response_body text,
  latency_ms integer,
  error text,
  lease_owner text,
  lease_until integer,
  created_at integer not null,
  finished_at integer,
  primary key (team_id, id),
  foreign key (team_id, endpoint_id) references webhook_endpoints (team_id, id)
) strict;

create index deliveries_by_endpoint on deliveries (team_id, endpoint_id, created_at, id);
create index deliveries_pending on deliveries (team_id, endpoint_id, next_attempt_at, id) where status = 'pending';
create index deliveries_failed on deliveries (team_id, endpoint_id, created_at, id) where status = 'failed';
create index deliveries_succeeded on deliveries (team_id, endpoint_id, created_at, id) where status = 'success';
create index deliveries_leased on deliveries (team_id, endpoint_id, lease_until) where lease_owner is not null;

create table delivery_attempts (
  team_id text not null,
  delivery_id text not null,
  attempt integer not null,
  at integer not null,
  http_status integer,
  response_body text,
  latency_ms integer,
  error text,
  primary key (team_id, delivery_id, attempt),
  foreign key (team_id, delivery_id) references deliveries (team_id, id) on delete cascade
) strict;

-- Teams with pending deliveries, and a time before which none is due.
create table outboxes (
  team_id text primary key,
  due_at integer not null
) strict, without rowid;

create index outboxes_by_time on outboxes (due_at);

insert into team_state (team_id, last_position, message_count, read_through, read_count, mark_version)
select id, last_position, message_count, read_through, read_count, mark_version from teams;

insert into mailboxes (team_id, id, name, domain, is_caught, created_at, updated_at, removed_at)
select team_id, id, name, replace(domain, ' ' || team_id, ''), case when domain like '% %' then 1 else 0 end, created_at,
       updated_at, removed_at
from old_mailboxes;

insert into root_names (domain, name, team_id, mailbox_id)
select b.domain, b.name, b.team_id, b.id
from mailboxes b join teams t on t.id = b.team_id
where b.is_caught = 0 and b.removed_at is null and t.domain is distinct from b.domain;

insert into former_holders (domain, name, team_id, left_at)
select domain, name, team_id, unixepoch() * 1000 from mailboxes where is_caught = 1 and removed_at is null;

insert into webhook_endpoints (team_id, id, url, description, mailbox, tag, is_active, disabled_reason, secret, secret_masked,
                               old_secrets, failing_since, created_at, updated_at, removed_at)
select team_id, id, url, description, mailbox, tag, is_active, disabled_reason, secret, secret_masked, old_secrets,
       failing_since, created_at, updated_at, removed_at
from old_webhook_endpoints;

alter table teams drop column last_position;
alter table teams drop column message_count;
alter table teams drop column indexed_through;
alter table teams drop column index_resets;
alter table teams drop column read_through;
alter table teams drop column read_count;
alter table teams drop column mark_version;
