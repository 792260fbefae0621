-- Before new servers write. A name that one of them took from another team is free for its new owner at once, but the domain of
-- the mailbox that lost it changes at the commit.
alter table mailboxes drop constraint mailboxes_domain_name_key;

-- Servers of the previous schema lock the row of `teams`. It comes first, because their triggers lock the other one later.
create or replace function lock_team(team text) returns void language plpgsql as $$
begin
  perform 1 from teams where id = team for no key update;
  perform 1 from team_state where team_id = team for no key update;
  -- Leases of older servers lock only these. Without them, both would send the same deliveries.
  perform 1 from webhook_endpoints where team_id = team order by id for no key update;
end $$;
