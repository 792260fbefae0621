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
