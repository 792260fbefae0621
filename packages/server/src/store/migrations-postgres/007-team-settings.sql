-- A domain that was asked for and is not proven: nothing resolves to it. The token is what the TXT record must hold.
alter table teams add column pending_domain text collate "C";
alter table teams add column domain_token text collate "C";

-- Who pays, as the provider of payments knows them.
alter table teams add column billing_customer text collate "C";
create unique index teams_by_billing_customer on teams (billing_customer) where billing_customer is not null;

-- Events of the provider that were handled, so that a repeated one changes nothing.
create table billing_events (
  id text collate "C" primary key,
  at bigint not null
);

create index billing_events_by_time on billing_events (at);
create index api_keys_by_team on api_keys (team_id);
