-- Removes what only servers of schema 10 need. One transaction that reads and writes hardly any rows. It begins with all locks, because
-- nothing may be written between the end of the triggers and the end of the columns that they fill, and gives up if it does not get
-- them soon.
set local statement_timeout = 1000;
lock table teams, team_state, mailboxes, root_names, messages, message_contents, read_marks, removed_messages, rejections,
           webhook_endpoints, deliveries, delivery_attempts, caught_domains, text_blocks, text_slices
in access exclusive mode;
set local statement_timeout = 0;

drop function upgrade_is_old, upgrade_team_added, upgrade_team_counted, upgrade_state_counted, upgrade_team_dropped,
              upgrade_mailbox_written, upgrade_mailbox_named, upgrade_team_moved, upgrade_domain_not_caught,
              upgrade_mailbox_formed, upgrade_claim_formed, upgrade_team_formed, upgrade_message_once,
              upgrade_message_part_added, upgrade_rejection_added, upgrade_delivery_written, upgrade_delivery_pending,
              upgrade_attempt_added
cascade;
drop function upgrade_form, upgrade_claim, upgrade_release, upgrade_remember, upgrade_now;
drop table upgrade_fills;
drop table text_slices;
drop table text_blocks;
drop function drop_text_slices;

alter table delivery_attempts
  alter column team_id set not null,
  alter column delivery_id set not null,
  alter column attempt set not null;
alter table delivery_attempts
  drop constraint upgrade_filled,
  drop column sequence,
  drop column delivery,
  add constraint delivery_attempts_pkey primary key using index new_delivery_attempts_pkey;

alter table deliveries alter column team_id set not null;
alter table deliveries
  drop constraint upgrade_filled,
  drop column sequence,
  drop constraint deliveries_id_key,
  drop constraint deliveries_endpoint_id_fkey,
  add constraint deliveries_pkey primary key using index new_deliveries_pkey;
drop index deliveries_leased;
alter index new_deliveries_by_endpoint rename to deliveries_by_endpoint;
alter index new_deliveries_pending rename to deliveries_pending;
alter index new_deliveries_failed rename to deliveries_failed;
alter index new_deliveries_succeeded rename to deliveries_succeeded;
alter index new_deliveries_leased rename to deliveries_leased;

alter table webhook_endpoints
  drop constraint webhook_endpoints_pkey,
  drop constraint webhook_endpoints_team_id_fkey,
  add constraint webhook_endpoints_pkey primary key using index new_webhook_endpoints_pkey;

alter table rejections
  alter column team_id set not null,
  alter column id drop identity;
alter table rejections
  drop constraint upgrade_filled,
  drop constraint rejections_pkey,
  add constraint rejections_pkey primary key using index new_rejections_pkey;
drop index rejections_by_team;

alter table removed_messages alter column team_id set not null;
alter table removed_messages
  drop constraint upgrade_filled,
  drop constraint removed_messages_pkey,
  add constraint removed_messages_pkey primary key using index new_removed_messages_pkey;
drop index removed_messages_with_objects;
drop index removed_messages_by_time;
alter index new_removed_messages_with_objects rename to removed_messages_with_objects;
alter index new_removed_messages_by_time rename to removed_messages_by_time;

alter table read_marks alter column position set not null;
alter table read_marks
  drop constraint upgrade_filled,
  drop column sequence,
  drop constraint read_marks_team_id_fkey,
  add constraint read_marks_pkey primary key using index new_read_marks_pkey;
alter index new_read_marks_by_state rename to read_marks_by_state;

alter table message_contents
  alter column team_id set not null,
  alter column position set not null;
alter table message_contents
  drop constraint upgrade_filled,
  drop column sequence,
  add constraint message_contents_pkey primary key using index new_message_contents_pkey;

alter table messages
  drop column sequence,
  drop constraint messages_id_key,
  drop constraint messages_team_id_fkey,
  drop constraint messages_mailbox_id_fkey,
  add constraint messages_pkey primary key using index messages_by_position,
  add constraint messages_team_id_id_key unique using index new_messages_team_id_id_key;
drop index messages_by_mailbox;
alter index new_messages_by_mailbox rename to messages_by_mailbox;

drop index upgrade_mailboxes_by_address;
alter table mailboxes
  drop constraint mailboxes_pkey,
  drop constraint mailboxes_team_id_fkey,
  add constraint mailboxes_pkey primary key using index new_mailboxes_pkey;

alter table teams
  drop column last_position,
  drop column message_count,
  drop column indexed_through,
  drop column index_resets,
  drop column read_through,
  drop column read_count,
  drop column mark_version;

-- 013-intake.sql creates them again.
drop function store_messages(text, json);
drop function lock_team(text);
