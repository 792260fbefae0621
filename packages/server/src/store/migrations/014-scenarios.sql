-- Scripts for the mail to an address. They end by themselves.
create table scenarios (
  team_id text not null,
  id text not null,
  domain text not null,
  mailbox text not null,
  -- Empty for none.
  tag text not null,
  is_prefix integer not null,
  recipient text not null,
  steps text not null,
  state text not null,
  -- Incremented with every change of the state.
  version integer not null,
  created_at integer not null,
  expires_at integer not null,
  primary key (team_id, id)
) strict, without rowid;

create unique index scenarios_by_address on scenarios (team_id, domain, mailbox, tag, is_prefix);

-- Those of all teams that have not expired, which workers ask for every second.
create index scenarios_by_expiry on scenarios (expires_at);
