-- Domains that no team has, whose mail this team receives.
create table caught_domains (
  domain text collate "C" primary key,
  team_id text collate "C" not null references teams (id) on delete cascade,
  caught_at bigint not null
);

create index caught_domains_by_team on caught_domains (team_id);
