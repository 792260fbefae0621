-- All rows have been moved (see 011).
drop table old_delivery_attempts;
drop table old_deliveries;
drop table old_webhook_endpoints;
drop table old_rejections;
drop table old_removed_messages;
drop table old_read_marks;
drop table old_message_contents;
drop table old_messages;
drop table old_mailboxes;

insert into outboxes (team_id, due_at)
select team_id, coalesce(min(next_attempt_at), 0) from deliveries where status = 'pending' group by team_id;

-- Addresses whose mail a team received in the last 30 days, and which it does not have any more: their announcements may be repeated.
insert into former_holders (domain, name, team_id, left_at)
select distinct m.domain, m.name, m.team_id, unixepoch() * 1000
from (select domain, object_mailbox as name, team_id from messages where stored_at > (unixepoch() - 2592000) * 1000
      union
      select domain, mailbox, team_id from removed_messages
      where removed_at > (unixepoch() - 2592000) * 1000 and team_id <> '') m
where not exists (select 1 from teams t where t.id = m.team_id and t.domain = m.domain)
  and not exists (select 1 from root_names r where r.domain = m.domain and r.name = m.name and r.team_id = m.team_id)
on conflict (domain, name, team_id) do nothing;
