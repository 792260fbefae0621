-- Scripts for the mail to an address. They end by themselves.
create table scenarios (
  team_id text collate "C" not null,
  id text collate "C" not null,
  domain text collate "C" not null,
  mailbox text collate "C" not null,
  -- Empty for none.
  tag text collate "C" not null,
  is_prefix bigint not null,
  recipient text collate "C" not null,
  steps text collate "C" not null,
  state text collate "C" not null,
  -- Incremented with every change of the state.
  version bigint not null,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (team_id, id)
);

create unique index scenarios_by_address on scenarios (team_id, domain, mailbox, tag, is_prefix);

-- Those of all teams that have not expired, which workers ask for every second.
create index scenarios_by_expiry on scenarios (expires_at);
