-- Domains that no team has, whose mail this team receives.
create table caught_domains (
  domain text primary key,
  team_id text not null references teams (id) on delete cascade,
  caught_at integer not null
) strict, without rowid;

create index caught_domains_by_team on caught_domains (team_id);
