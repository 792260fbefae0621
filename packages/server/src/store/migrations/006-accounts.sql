create table users (
  id text primary key,
  email text not null,
  -- The form in which addresses are compared.
  email_folded text not null unique,
  name text not null,
  -- Null for those who sign in by a link or by a provider.
  password_hash text,
  -- When it was shown that the address is theirs.
  email_checked_at integer,
  team_id text references teams (id),
  role text check (role in ('owner', 'member')),
  joined_at integer,
  created_at integer not null,
  updated_at integer not null,
  check ((team_id is null) = (role is null))
) strict;

create index users_by_team on users (team_id) where team_id is not null;

create table sessions (
  id text primary key,
  hash text not null unique,
  user_id text not null references users (id) on delete cascade,
  created_at integer not null,
  last_seen_at integer not null,
  expires_at integer not null,
  user_agent text not null,
  address text not null
) strict;

create index sessions_by_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);

create table one_time_tokens (
  hash text primary key,
  user_id text not null references users (id) on delete cascade,
  purpose text not null,
  expires_at integer not null,
  created_at integer not null
) strict;

create index one_time_tokens_by_user on one_time_tokens (user_id);
create index one_time_tokens_by_expiry on one_time_tokens (expires_at);

-- Who a user is at a provider of sign-in.
create table identities (
  id text primary key,
  issuer text not null,
  subject text not null,
  user_id text not null references users (id) on delete cascade,
  unique (issuer, subject)
) strict;

create index identities_by_user on identities (user_id);

create table invites (
  id text primary key,
  team_id text not null references teams (id),
  email text not null,
  email_folded text not null,
  invited_by text not null references users (id) on delete cascade,
  created_at integer not null,
  expires_at integer not null
) strict;

create index invites_by_team on invites (team_id);
create index invites_by_email on invites (email_folded);

-- The user who made it; null for keys that the operator made. It opens nothing once that user is in another team.
alter table api_keys add column created_by text;
