-- Rejected mail, so that a user who waits for it can see why; the newest of each team only.
create table rejections (
  id integer primary key,
  -- Null where no team has the domain.
  team_id text references teams (id),
  at integer not null,
  sender text not null,
  recipient text not null,
  code text not null,
  reason text not null
) strict;

create index rejections_by_team on rejections (team_id, id);
