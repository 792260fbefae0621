-- From schema 10 to schema 15 while servers of both run. Each part is a short transaction, which adds what new servers need and
-- triggers that keep it in step with what old servers write. Rows that exist already are filled afterwards, in small steps
-- (store/postgres-backfill.ts). 011-finish.sql removes the old half.

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

-- Bits do not compress; trying costs time.
alter table index_slices alter column bits set storage external;

-- Teams with pending deliveries, and a time before which none is due.
create table outboxes (
  team_id text collate "C" primary key,
  due_at bigint not null
);

create index outboxes_by_time on outboxes (due_at);
-- How far the rows of each table are filled, so that an interrupted upgrade continues there.
create table upgrade_fills (
  name text collate "C" primary key,
  through text collate "C" not null,
  done bigint not null
);

-- Servers of schema 11 set `mailhatch.schema`. Without it, a statement is from a server of schema 10.
create function upgrade_is_old() returns boolean language sql stable as $$
  select coalesce(nullif(current_setting('mailhatch.schema', true), ''), '10')::integer < 11
$$;

create function upgrade_now() returns bigint language sql stable as $$
  select (extract(epoch from statement_timestamp()) * 1000)::bigint
$$;

create function upgrade_remember(domain text, name text, team_id text, left_at bigint) returns void language sql as $$
  insert into former_holders values ($1, $2, $3, $4)
  on conflict on constraint former_holders_pkey do update set left_at = excluded.left_at
$$;

-- Next transaction.

-- Counters: old servers write them to teams, new ones to team_state. The two text indexes are independent, but what resets
-- one of them resets the other.
create function upgrade_team_added() returns trigger language plpgsql as $$
begin
  insert into team_state (team_id, last_position, message_count, read_through, read_count, mark_version)
  values (new.id, new.last_position, new.message_count, new.read_through, new.read_count, new.mark_version)
  on conflict (team_id) do nothing;
  return null;
end $$;

create function upgrade_team_counted() returns trigger language plpgsql as $$
begin
  insert into team_state as s (team_id, last_position, message_count, read_through, read_count, mark_version)
  values (new.id, new.last_position, new.message_count, new.read_through, new.read_count, new.mark_version)
  on conflict (team_id) do update
  set last_position = excluded.last_position, message_count = excluded.message_count,
      read_through = excluded.read_through, read_count = excluded.read_count, mark_version = excluded.mark_version,
      index_resets = s.index_resets + new.index_resets - old.index_resets,
      indexed_through = case when new.index_resets = old.index_resets then s.indexed_through
                             else least(s.indexed_through, new.indexed_through) end;
  return null;
end $$;

create function upgrade_state_counted() returns trigger language plpgsql as $$
declare
  resets bigint := case tg_op when 'UPDATE' then new.index_resets - old.index_resets else 0 end;
begin
  update teams t
  set last_position = new.last_position, message_count = new.message_count,
      read_through = new.read_through, read_count = new.read_count, mark_version = new.mark_version,
      index_resets = t.index_resets + resets,
      indexed_through = case resets when 0 then t.indexed_through else least(t.indexed_through, new.indexed_through) end
  where t.id = new.team_id
    and (resets <> 0
         or (t.last_position, t.message_count, t.read_through, t.read_count, t.mark_version)
            is distinct from
            (new.last_position, new.message_count, new.read_through, new.read_count, new.mark_version));
  return null;
end $$;

-- The rows that only the other version knows.
create function upgrade_team_dropped() returns trigger language plpgsql as $$
begin
  if upgrade_is_old() then
    delete from team_state where team_id = old.id;
    delete from index_blocks where team_id = old.id;
    delete from outboxes where team_id = old.id;
    delete from root_names where team_id = old.id;
  else
    delete from text_blocks where team_id = old.id;
  end if;
  return old;
end $$;

create trigger upgrade_team_added after insert on teams
for each row when (upgrade_is_old()) execute function upgrade_team_added();
create trigger upgrade_team_counted
after update of last_position, message_count, read_through, read_count, mark_version, index_resets on teams
for each row when (upgrade_is_old()) execute function upgrade_team_counted();
create trigger upgrade_state_counted after insert or update on team_state
for each row when (not upgrade_is_old()) execute function upgrade_state_counted();
create trigger upgrade_team_dropped before delete on teams
for each row execute function upgrade_team_dropped();

-- Next transaction.

alter table mailboxes add column is_caught bigint not null default 0;

-- Next transaction.

-- Names: old servers append the team to the domain of a mailbox that has no right to its name, and so does a mailbox in this
-- state. New servers write the plain domain, `is_caught` and root_names; a commit brings the domain into the old form.
create function upgrade_release(mailbox mailboxes) returns void language sql as $$
  with released as (
    delete from root_names r
    where r.team_id = mailbox.team_id and r.mailbox_id = mailbox.id
      and not (r.domain = mailbox.domain and r.name = mailbox.name)
    returning r.domain, r.name, r.team_id)
  select upgrade_remember(r.domain, r.name, r.team_id, upgrade_now()) from released r
$$;

-- Gives an old server's mailbox the claim that it has by its domain, and takes others.
create function upgrade_claim(mailbox mailboxes) returns void language plpgsql as $$
begin
  perform upgrade_release(mailbox);
  if mailbox.removed_at is not null or mailbox.domain like '% %'
     or exists (select from teams t where t.id = mailbox.team_id and t.domain = mailbox.domain) then
    delete from root_names r where r.team_id = mailbox.team_id and r.mailbox_id = mailbox.id;
    return;
  end if;
  insert into root_names values (mailbox.domain, mailbox.name, mailbox.team_id, mailbox.id)
  on conflict (domain, name) do nothing;
  if found then
    return;
  end if;
  -- A statement of its own: it sees the mailbox of a transaction for which the insert had to wait.
  update root_names r set team_id = mailbox.team_id, mailbox_id = mailbox.id
  where r.domain = mailbox.domain and r.name = mailbox.name
    and not exists (select from mailboxes b
                    where b.team_id = r.team_id and b.id = r.mailbox_id and b.id <> mailbox.id
                      and b.domain = r.domain and b.name = r.name and b.removed_at is null);
  if not found then
    raise unique_violation using message = 'the name belongs to another mailbox';
  end if;
end $$;

create function upgrade_mailbox_written() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.domain <> old.domain then
      new.is_caught := case when new.domain like '% %' then 1 else 0 end;
    end if;
    return new;
  end if;
  -- `on conflict do nothing`, as the unique key of old servers had it.
  if exists (select from mailboxes b where b.domain = new.domain and b.name = new.name) then
    return null;
  end if;
  new.is_caught := case when new.domain like '% %' then 1 else 0 end;
  return new;
end $$;

create function upgrade_mailbox_named() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from root_names r where r.team_id = old.team_id and r.mailbox_id = old.id;
    return null;
  end if;
  perform upgrade_claim(new);
  if new.is_caught = 1 and tg_op = 'INSERT' then
    perform upgrade_remember(replace(new.domain, ' ' || new.team_id, ''), new.name, new.team_id, upgrade_now());
  end if;
  return null;
end $$;

create function upgrade_team_moved() returns trigger language plpgsql as $$
begin
  if old.domain is not null then
    perform upgrade_remember(old.domain, '', old.id, upgrade_now());
  end if;
  perform upgrade_claim(b) from mailboxes b where b.team_id = new.id and b.removed_at is null;
  return null;
end $$;

create function upgrade_domain_not_caught() returns trigger language plpgsql as $$
begin
  perform upgrade_remember(old.domain, '', old.team_id, upgrade_now());
  return null;
end $$;

-- The domain of a new server's mailbox in the old form; without a mailbox, of all that the team has.
create function upgrade_form(team text, mailbox text) returns void language sql as $$
  update mailboxes b set domain = f.domain
  from (select m.id, p.domain || case when m.is_caught = 1 or not p.is_held then ' ' || m.team_id else '' end as domain
        from mailboxes m cross join lateral (
          select plain.domain,
                 exists (select from teams t where t.id = m.team_id and t.domain = plain.domain)
                 or exists (select from root_names r
                            where r.domain = plain.domain and r.name = m.name and r.mailbox_id = m.id) as is_held
          from (select replace(m.domain, ' ' || m.team_id, '') as domain) plain) p
        where m.team_id = team and m.id = coalesce(mailbox, m.id) and m.removed_at is null) f
  where b.team_id = team and b.id = f.id and b.domain <> f.domain
$$;

create function upgrade_mailbox_formed() returns trigger language plpgsql as $$
begin
  perform upgrade_form(new.team_id, new.id);
  return null;
end $$;

create function upgrade_claim_formed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform upgrade_form(old.team_id, old.mailbox_id);
  end if;
  if tg_op <> 'DELETE' then
    perform upgrade_form(new.team_id, new.mailbox_id);
  end if;
  return null;
end $$;

create function upgrade_team_formed() returns trigger language plpgsql as $$
begin
  perform upgrade_form(new.id, null);
  return null;
end $$;

create trigger upgrade_mailbox_written before insert or update on mailboxes
for each row when (upgrade_is_old()) execute function upgrade_mailbox_written();
create trigger upgrade_mailbox_named after insert or update of domain, name, removed_at or delete on mailboxes
for each row when (upgrade_is_old()) execute function upgrade_mailbox_named();
create constraint trigger upgrade_mailbox_formed after insert or update of domain, name, is_caught on mailboxes
deferrable initially deferred
for each row when (not upgrade_is_old()) execute function upgrade_mailbox_formed();
create constraint trigger upgrade_claim_formed after insert or update or delete on root_names
deferrable initially deferred
for each row when (not upgrade_is_old()) execute function upgrade_claim_formed();

-- Next transaction.

create trigger upgrade_team_moved after update of domain on teams
for each row when (upgrade_is_old() and old.domain is distinct from new.domain) execute function upgrade_team_moved();
create constraint trigger upgrade_team_formed after update of domain on teams
deferrable initially deferred
for each row when (not upgrade_is_old()) execute function upgrade_team_formed();

-- Next transaction.

create trigger upgrade_domain_not_caught after delete on caught_domains
for each row when (upgrade_is_old()) execute function upgrade_domain_not_caught();

-- Next transaction.

-- Old servers know an id in all teams, new ones in the teams that an address had. While both run, an id is stored once.
create function upgrade_message_once() returns trigger language plpgsql as $$
begin
  if exists (select from messages m where m.id = new.id and m.team_id <> new.team_id)
     or exists (select from removed_messages r where r.id = new.id and r.team_id is distinct from new.team_id) then
    return null;
  end if;
  return new;
end $$;

create trigger upgrade_message_once before insert on messages
for each row when (not upgrade_is_old()) execute function upgrade_message_once();

-- Next transaction.

alter table message_contents add column team_id text collate "C", add column position bigint;

-- Next transaction.

alter table read_marks add column position bigint;

-- Next transaction.

-- Old servers refer to a message by its `sequence`, new ones by team and position.
create function upgrade_message_part_added() returns trigger language plpgsql as $$
begin
  if new.position is null then
    select m.team_id, m.position into new.team_id, new.position from messages m where m.sequence = new.sequence;
  else
    select m.sequence into new.sequence from messages m where m.team_id = new.team_id and m.position = new.position;
  end if;
  return new;
end $$;

create trigger upgrade_content_added before insert on message_contents
for each row execute function upgrade_message_part_added();

-- Next transaction.

create trigger upgrade_mark_added before insert on read_marks
for each row execute function upgrade_message_part_added();

-- Next transaction.

-- The team is empty where no team has the domain.
alter table rejections drop constraint rejections_team_id_fkey;

create function upgrade_rejection_added() returns trigger language plpgsql as $$
begin
  new.team_id := coalesce(new.team_id, '');
  -- One order for the ids of both.
  if not upgrade_is_old() then
    new.id := nextval(pg_get_serial_sequence('rejections', 'id'));
  end if;
  return new;
end $$;

create trigger upgrade_rejection_added before insert on rejections
for each row execute function upgrade_rejection_added();

-- Next transaction.

alter table deliveries add column team_id text collate "C";

-- Next transaction.

alter table delivery_attempts
  add column team_id text collate "C", add column delivery_id text collate "C", add column attempt bigint;

-- Next transaction.

create function upgrade_delivery_written() returns trigger language plpgsql as $$
begin
  if new.team_id is null then
    select e.team_id into new.team_id from webhook_endpoints e where e.id = new.endpoint_id;
  end if;
  return new;
end $$;

-- New servers look for what is due in the teams of outboxes only.
create function upgrade_delivery_pending() returns trigger language plpgsql as $$
begin
  insert into outboxes as o
  values (new.team_id, case when new.lease_owner is null then new.next_attempt_at else new.lease_until end)
  on conflict (team_id) do update set due_at = excluded.due_at where o.due_at > excluded.due_at;
  return null;
end $$;

create function upgrade_attempt_added() returns trigger language plpgsql as $$
begin
  if new.delivery_id is null then
    select e.team_id, d.id,
           greatest(d.attempt, 1 + (select max(a.attempt) from delivery_attempts a where a.delivery = d.sequence))
    into new.team_id, new.delivery_id, new.attempt
    from deliveries d join webhook_endpoints e on e.id = d.endpoint_id
    where d.sequence = new.delivery;
  else
    select d.sequence into new.delivery from deliveries d where d.id = new.delivery_id;
  end if;
  return new;
end $$;

create trigger upgrade_delivery_written before insert or update on deliveries
for each row when (upgrade_is_old()) execute function upgrade_delivery_written();
create trigger upgrade_delivery_pending
after insert or update of status, next_attempt_at, lease_owner, lease_until on deliveries
for each row when (upgrade_is_old() and new.status = 'pending') execute function upgrade_delivery_pending();

-- Next transaction.

create trigger upgrade_attempt_added before insert on delivery_attempts
for each row execute function upgrade_attempt_added();
