-- URLs of customers that receive events of new mail: of all of it, or of one mailbox or tag, by their names.
create table webhook_endpoints (
  id text primary key,
  team_id text not null references teams (id),
  url text not null,
  description text,
  mailbox text,
  tag text,
  is_active integer not null default 1,
  -- Why we switched it off; null when someone of the team did.
  disabled_reason text,
  -- Sealed, as the old ones.
  secret text not null,
  secret_masked text not null,
  -- A JSON array of objects with `secret` and `until`: each signs as well until its time is over.
  old_secrets text not null default '[]',
  -- Of the first failure since the last success.
  failing_since integer,
  created_at integer not null,
  updated_at integer not null,
  -- Set while its deliveries are being removed: it is inactive and invisible then.
  removed_at integer,
  unique (team_id, url)
) strict;

-- Which event goes to which endpoint: written with the message, sent from here.
create table deliveries (
  sequence integer primary key,
  id text not null unique,
  endpoint_id text not null references webhook_endpoints (id),
  event text not null,
  -- The same on every attempt, so that who receives it twice can tell.
  event_id text not null,
  -- Null for a test. No reference: a message may be removed before its deliveries.
  message_id text,
  -- Byte for byte the same on every attempt.
  body text not null,
  status text not null,
  attempt integer not null default 0,
  -- Attempts made before the last replay, with which the schedule starts over.
  attempts_before integer not null default 0,
  next_attempt_at integer,
  http_status integer,
  response_body text,
  latency_ms integer,
  error text,
  -- Which process sends it, and until when no other one does.
  lease_owner text,
  lease_until integer,
  created_at integer not null,
  finished_at integer
) strict;

create index deliveries_by_endpoint on deliveries (endpoint_id, created_at, sequence);
create index deliveries_pending on deliveries (endpoint_id, next_attempt_at, sequence) where status = 'pending';
create index deliveries_failed on deliveries (endpoint_id, created_at, sequence) where status = 'failed';
create index deliveries_succeeded on deliveries (endpoint_id, created_at, sequence) where status = 'success';
create index deliveries_leased on deliveries (endpoint_id, lease_until) where lease_owner is not null;

create table delivery_attempts (
  sequence integer primary key,
  delivery integer not null references deliveries (sequence) on delete cascade,
  at integer not null,
  http_status integer,
  response_body text,
  latency_ms integer,
  error text
) strict;

create index attempts_by_delivery on delivery_attempts (delivery, at);
