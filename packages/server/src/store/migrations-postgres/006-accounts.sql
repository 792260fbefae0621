create table users (
  id text collate "C" primary key,
  email text collate "C" not null,
  -- The form in which addresses are compared.
  email_folded text collate "C" not null unique,
  name text collate "C" not null,
  -- Null for those who sign in by a link or by a provider.
  password_hash text collate "C",
  -- When it was shown that the address is theirs.
  email_checked_at bigint,
  team_id text collate "C" references teams (id),
  role text collate "C" check (role in ('owner', 'member')),
  joined_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  check ((team_id is null) = (role is null))
);

create index users_by_team on users (team_id) where team_id is not null;

create table sessions (
  id text collate "C" primary key,
  hash text collate "C" not null unique,
  user_id text collate "C" not null references users (id) on delete cascade,
  created_at bigint not null,
  last_seen_at bigint not null,
  expires_at bigint not null,
  user_agent text collate "C" not null,
  address text collate "C" not null
);

create index sessions_by_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);

create table one_time_tokens (
  hash text collate "C" primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  purpose text collate "C" not null,
  expires_at bigint not null,
  created_at bigint not null
);

create index one_time_tokens_by_user on one_time_tokens (user_id);
create index one_time_tokens_by_expiry on one_time_tokens (expires_at);

-- Who a user is at a provider of sign-in.
create table identities (
  id text collate "C" primary key,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  user_id text collate "C" not null references users (id) on delete cascade,
  unique (issuer, subject)
);

create index identities_by_user on identities (user_id);

create table invites (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  email text collate "C" not null,
  email_folded text collate "C" not null,
  invited_by text collate "C" not null references users (id) on delete cascade,
  created_at bigint not null,
  expires_at bigint not null
);

create index invites_by_team on invites (team_id);
create index invites_by_email on invites (email_folded);

-- The user who made it; null for keys that the operator made. It opens nothing once that user is in another team.
alter table api_keys add column created_by text collate "C";
