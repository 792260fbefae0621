-- Every row of a tenant belongs to a team, and its key begins with the team.
drop trigger text_slices_of_dropped_block on text_blocks;
drop function drop_text_slices();
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
drop index attempts_by_delivery;
alter table mailboxes rename to old_mailboxes;
alter table messages rename to old_messages;
alter table message_contents rename to old_message_contents;
alter table read_marks rename to old_read_marks;
alter table removed_messages rename to old_removed_messages;
alter table text_blocks rename to old_text_blocks;
alter table text_slices rename to old_text_slices;
alter table rejections rename to old_rejections;
alter table webhook_endpoints rename to old_webhook_endpoints;
alter table deliveries rename to old_deliveries;
alter table delivery_attempts rename to old_delivery_attempts;
-- Names of the old constraints.
alter index mailboxes_pkey rename to old_mailboxes_pkey;
alter index messages_pkey rename to old_messages_pkey;
alter index message_contents_pkey rename to old_message_contents_pkey;
alter index read_marks_pkey rename to old_read_marks_pkey;
alter index removed_messages_pkey rename to old_removed_messages_pkey;
alter index text_blocks_pkey rename to old_text_blocks_pkey;
alter index text_slices_pkey rename to old_text_slices_pkey;
alter index rejections_pkey rename to old_rejections_pkey;
alter index webhook_endpoints_pkey rename to old_webhook_endpoints_pkey;
alter index deliveries_pkey rename to old_deliveries_pkey;
alter index delivery_attempts_pkey rename to old_delivery_attempts_pkey;
alter index mailboxes_team_id_name_key rename to old_mailboxes_team_id_name_key;
alter index webhook_endpoints_team_id_url_key rename to old_webhook_endpoints_team_id_url_key;

-- What every message changes. Its row is the lock that orders a team.
create table team_state (
  team_id text collate "C" primary key,
  last_position bigint not null default 0,
  message_count bigint not null default 0,
  -- See index_blocks.
  indexed_through bigint not null default 0,
  index_resets bigint not null default 0,
  read_through bigint not null default 0,
  read_count bigint not null default 0,
  mark_version bigint not null default 0
-- Every message changes its row: with room on its page, that needs no new entries in the indexes.
) with (fillfactor = 10);

-- Names of mailboxes on a domain that does not belong to their team, such as the root domain. On its own domain, a team may use
-- every name. A mailbox with neither was caught: it lost the name, or never had it.
create table root_names (
  domain text collate "C" not null,
  name text collate "C" not null,
  team_id text collate "C" not null,
  mailbox_id text collate "C" not null,
  primary key (domain, name)
);

create index root_names_by_mailbox on root_names (team_id, mailbox_id);

-- Teams that received mail for an address, or for a whole domain where the name is empty. A repeated announcement is looked
-- up there too, so that it does not show one team's mail to another.
create table former_holders (
  domain text collate "C" not null,
  name text collate "C" not null,
  team_id text collate "C" not null,
  left_at bigint not null,
  primary key (domain, name, team_id)
);

create index former_holders_by_time on former_holders (left_at);

create table mailboxes (
  team_id text collate "C" not null,
  id text collate "C" not null,
  name text collate "C" not null,
  domain text collate "C" not null,
  -- Created by mail for a domain or name that does not belong to the team.
  is_caught bigint not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  -- Set while its messages are being removed: the mailbox and its messages are invisible.
  removed_at bigint,
  primary key (team_id, id),
  unique (team_id, name)
);

create index mailboxes_removed on mailboxes (team_id, id) where removed_at is not null;

create table messages (
  team_id text collate "C" not null,
  position bigint not null,
  id text collate "C" not null,
  mailbox_id text collate "C" not null,
  mailbox_with_tag text collate "C" not null,
  tag text collate "C",
  domain text collate "C" not null,
  tenant_subdomain text collate "C",
  sender text collate "C" not null,
  sender_name text collate "C",
  recipient text collate "C" not null,
  subject text collate "C" not null,
  received_at bigint not null,
  stored_at bigint not null,
  size bigint,
  attachment_count bigint not null,
  subject_folded text collate "C" not null,
  sender_folded text collate "C" not null,
  recipient_folded text collate "C" not null,
  mailbox_with_tag_folded text collate "C" not null,
  -- The mailbox's name when the mail came: the keys of its objects keep it when the mailbox is renamed.
  object_mailbox text collate "C" not null,
  primary key (team_id, position),
  unique (team_id, id),
  foreign key (team_id, mailbox_id) references mailboxes (team_id, id)
);

create index messages_by_time on messages (team_id, received_at, position);
create index messages_by_mailbox on messages (team_id, mailbox_id, received_at, position);
-- A tag is rarely used in more than one mailbox, so this serves mailbox and tag together, too.
create index messages_by_tag on messages (team_id, tag, received_at, position) where tag is not null;

-- Apart from messages, so that lists read small pages.
create table message_contents (
  team_id text collate "C" not null,
  position bigint not null,
  headers text collate "C" not null,
  html text collate "C",
  text text collate "C",
  -- Null where `lower(text)` is the same, which is so for ASCII: a third less to write for most mail.
  body_folded text collate "C",
  codes text collate "C" not null,
  links text collate "C" not null,
  attachments text collate "C" not null,
  envelope text collate "C",
  parse text collate "C" not null,
  primary key (team_id, position),
  foreign key (team_id, position) references messages (team_id, position) on delete cascade
);

create table read_marks (
  team_id text collate "C" not null,
  position bigint not null,
  is_read bigint not null,
  version bigint not null,
  primary key (team_id, position),
  foreign key (team_id, position) references messages (team_id, position) on delete cascade
);

create index read_marks_by_version on read_marks (team_id, version);
create index read_marks_by_state on read_marks (team_id, is_read, position);

-- Remembered for a while, so that announcing one of them again does not bring it back.
create table removed_messages (
  team_id text collate "C" not null,
  id text collate "C" not null,
  domain text collate "C" not null,
  mailbox text collate "C" not null,
  removed_at bigint not null,
  -- 1 until the raw mail and its metadata are gone as well.
  has_objects bigint not null,
  primary key (team_id, id)
);

create index removed_messages_with_objects on removed_messages (team_id, id) where has_objects = 1;
create index removed_messages_by_time on removed_messages (team_id, removed_at);

-- Some consecutive positions of a team (see store/text-index.ts), with the bounds of their times. Positions up to a team's
-- `indexed_through` are in such blocks; the signatures of what comes after are only in memory. It is set back when what is indexed
-- of a stored message changes, and `index_resets` with it, so that a block built meanwhile is thrown away.
create table index_blocks (
  team_id text collate "C" not null,
  block bigint not null,
  newest_received_at bigint not null,
  oldest_received_at bigint not null,
  primary key (team_id, block)
);

-- Which messages of a block have one slot of the signature (domain/signature.ts): see store/text-slice.ts. No row for none.
create table index_slices (
  team_id text collate "C" not null,
  block bigint not null,
  slot bigint not null,
  bits bytea not null,
  primary key (team_id, block, slot),
  foreign key (team_id, block) references index_blocks (team_id, block) on delete cascade
);

-- Rejected mail, the newest of each team only. The team is empty where no team has the domain.
create table rejections (
  team_id text collate "C" not null,
  id bigint not null,
  at bigint not null,
  sender text collate "C" not null,
  recipient text collate "C" not null,
  code text collate "C" not null,
  reason text collate "C" not null,
  primary key (team_id, id)
);

-- The operator's list of all teams.
create index rejections_by_id on rejections (id);

create table webhook_endpoints (
  team_id text collate "C" not null,
  id text collate "C" not null,
  url text collate "C" not null,
  description text collate "C",
  mailbox text collate "C",
  tag text collate "C",
  is_active bigint not null default 1,
  disabled_reason text collate "C",
  secret text collate "C" not null,
  secret_masked text collate "C" not null,
  old_secrets text collate "C" not null default '[]',
  failing_since bigint,
  created_at bigint not null,
  updated_at bigint not null,
  removed_at bigint,
  primary key (team_id, id),
  unique (team_id, url)
);

create table deliveries (
  team_id text collate "C" not null,
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event text collate "C" not null,
  event_id text collate "C" not null,
  message_id text collate "C",
  body text collate "C" not null,
  status text collate "C" not null,
  attempt bigint not null default 0,
  attempts_before bigint not null default 0,
  next_attempt_at bigint,
  http_status bigint,
  response_body text collate "C",
  latency_ms bigint,
  error text collate "C",
  lease_owner text collate "C",
  lease_until bigint,
  created_at bigint not null,
  finished_at bigint,
  primary key (team_id, id),
  foreign key (team_id, endpoint_id) references webhook_endpoints (team_id, id)
);

create index deliveries_by_endpoint on deliveries (team_id, endpoint_id, created_at, id);
create index deliveries_pending on deliveries (team_id, endpoint_id, next_attempt_at, id) where status = 'pending';
create index deliveries_failed on deliveries (team_id, endpoint_id, created_at, id) where status = 'failed';
create index deliveries_succeeded on deliveries (team_id, endpoint_id, created_at, id) where status = 'success';
create index deliveries_leased on deliveries (team_id, endpoint_id, lease_until) where lease_owner is not null;

create table delivery_attempts (
  team_id text collate "C" not null,
  delivery_id text collate "C" not null,
  attempt bigint not null,
  at bigint not null,
  http_status bigint,
  response_body text collate "C",
  latency_ms bigint,
  error text collate "C",
  primary key (team_id, delivery_id, attempt),
  foreign key (team_id, delivery_id) references deliveries (team_id, id) on delete cascade
);

-- Teams with pending deliveries, and a time before which none is due.
create table outboxes (
  team_id text collate "C" primary key,
  due_at bigint not null
);

create index outboxes_by_time on outboxes (due_at);

-- Bits do not compress; trying costs time.
alter table index_slices alter column bits set storage external;

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
select domain, name, team_id, (extract(epoch from statement_timestamp()) * 1000)::bigint
from mailboxes
where is_caught = 1 and removed_at is null;

insert into messages (team_id, position, id, mailbox_id, mailbox_with_tag, tag, domain, tenant_subdomain, sender, sender_name,
                      recipient, subject, received_at, stored_at, size, attachment_count, subject_folded, sender_folded,
                      recipient_folded, mailbox_with_tag_folded, object_mailbox)
select team_id, position, id, mailbox_id, mailbox_with_tag, tag, domain, tenant_subdomain, sender, sender_name,
       recipient, subject, received_at, stored_at, size, attachment_count, subject_folded, sender_folded,
       recipient_folded, mailbox_with_tag_folded, object_mailbox
from old_messages;

insert into message_contents (team_id, position, headers, html, text, body_folded, codes, links, attachments, envelope, parse)
select m.team_id, m.position, c.headers, c.html, c.text, c.body_folded, c.codes, c.links, c.attachments, c.envelope, c.parse
from old_message_contents c join old_messages m on m.sequence = c.sequence;

insert into read_marks (team_id, position, is_read, version)
select m.team_id, m.position, r.is_read, r.version from old_read_marks r join old_messages m on m.sequence = r.sequence;

insert into removed_messages (team_id, id, domain, mailbox, removed_at, has_objects)
select coalesce(team_id, ''), id, domain, mailbox, removed_at, has_objects from old_removed_messages;

insert into rejections (team_id, id, at, sender, recipient, code, reason)
select coalesce(team_id, ''), id, at, sender, recipient, code, reason from old_rejections;

insert into webhook_endpoints (team_id, id, url, description, mailbox, tag, is_active, disabled_reason, secret, secret_masked,
                               old_secrets, failing_since, created_at, updated_at, removed_at)
select team_id, id, url, description, mailbox, tag, is_active, disabled_reason, secret, secret_masked, old_secrets,
       failing_since, created_at, updated_at, removed_at
from old_webhook_endpoints;

insert into deliveries (team_id, id, endpoint_id, event, event_id, message_id, body, status, attempt, attempts_before,
                        next_attempt_at, http_status, response_body, latency_ms, error, lease_owner, lease_until, created_at,
                        finished_at)
select e.team_id, d.id, d.endpoint_id, d.event, d.event_id, d.message_id, d.body, d.status, d.attempt, d.attempts_before,
       d.next_attempt_at, d.http_status, d.response_body, d.latency_ms, d.error, d.lease_owner, d.lease_until, d.created_at,
       d.finished_at
from old_deliveries d join old_webhook_endpoints e on e.id = d.endpoint_id;

insert into delivery_attempts (team_id, delivery_id, attempt, at, http_status, response_body, latency_ms, error)
select e.team_id, d.id, row_number() over (partition by a.delivery order by a.sequence), a.at, a.http_status, a.response_body,
       a.latency_ms, a.error
from old_delivery_attempts a join old_deliveries d on d.sequence = a.delivery
     join old_webhook_endpoints e on e.id = d.endpoint_id;

insert into outboxes (team_id, due_at)
select team_id, coalesce(min(next_attempt_at), 0) from deliveries where status = 'pending' group by team_id;

drop table old_delivery_attempts;
drop table old_deliveries;
drop table old_webhook_endpoints;
drop table old_rejections;
drop table old_text_slices;
drop table old_text_blocks;
drop table old_removed_messages;
drop table old_read_marks;
drop table old_message_contents;
drop table old_messages;
drop table old_mailboxes;
alter table teams drop column last_position;
alter table teams drop column message_count;
alter table teams drop column indexed_through;
alter table teams drop column index_resets;
alter table teams drop column read_through;
alter table teams drop column read_count;
alter table teams drop column mark_version;
