-- The mailbox's name when the mail came: the keys of its objects keep it when the mailbox is renamed.
alter table messages add column object_mailbox text not null default '';
update messages set object_mailbox = (select name from mailboxes where id = messages.mailbox_id);

-- Set while its messages are being removed. Until that is done, the mailbox and its messages are invisible.
alter table mailboxes add column removed_at integer;

-- Remembered for a while, so that announcing one of them again does not bring it back.
create table removed_messages (
  id text primary key,
  domain text not null,
  mailbox text not null,
  removed_at integer not null,
  -- 1 until it is certain that the raw mail and its metadata are gone as well.
  has_objects integer not null
) strict, without rowid;

create index removed_messages_with_objects on removed_messages (id) where has_objects = 1;
create index removed_messages_by_time on removed_messages (removed_at);
