-- On a cluster, planning a statement takes longer than running it, unless it is one of a single table and names the team: then the plan
-- is kept. So these functions have such statements instead of expressions with subqueries, and none in the language SQL, which plans at each call.

-- Waits until no other transaction for the team runs. Does not lock the key, so that rows can still refer to it.
create or replace function lock_team(team text) returns void language plpgsql as $$
begin
  perform from team_state where team_id = team for no key update;
end $$;

-- Stores messages of one team in their order, each once, with their deliveries: what the statements in store/sql-intake.ts do on
-- SQLite, in one call. Returns the position of each; none for one that was stored or removed before, or whose mailbox
-- is gone or belongs to another team.
create or replace function store_messages(team text, given json)
returns table (place bigint, stored bigint, is_unchanged boolean) language plpgsql as $$
#variable_conflict use_column
declare
  item record;
  newest bigint;
  added bigint := 0;
  due bigint;
  address text;
  checked text;
  is_held boolean;
begin
  perform lock_team(team);
  select last_position into newest from team_state where team_id = team;
  place := 0;
  for item in select * from json_to_recordset(given) as one (
    mailbox_id text, mailbox text, held_by text, id text, mailbox_with_tag text, tag text, domain text, tenant_subdomain text,
    sender text, sender_name text, recipient text, subject text, received_at bigint, stored_at bigint, size bigint, attachment_count bigint,
    subject_folded text, sender_folded text, recipient_folded text, mailbox_with_tag_folded text, object_mailbox text,
    headers text, html text, text text, body_folded text, codes text, links text, attachments text, envelope text, parse text,
    event_id text, event_body text, deliveries json)
  loop
    place := place + 1;
    stored := null;
    -- Once for rows that follow each other: most have the same domain.
    address := item.held_by || ' ' || item.domain || case item.held_by when 'root name' then ' ' || item.mailbox else '' end;
    if address is null then
      is_held := true;
    elsif address is distinct from checked then
      is_held := case item.held_by
        when 'domain' then exists (select 1 from teams where domain = item.domain and id = team)
        when 'catch-all' then not exists (select 1 from teams where domain = item.domain and id <> team)
        else not exists (select 1 from teams where domain = item.domain and id <> team)
             and exists (select 1 from root_names where domain = item.domain and name = item.mailbox and team_id = team)
      end;
    end if;
    checked := address;
    perform from mailboxes
    where team_id = team and id = item.mailbox_id and name = item.mailbox and removed_at is null;
    is_unchanged := is_held and found;
    perform from removed_messages where team_id = team and id = item.id;
    if is_unchanged and not found then
      stored := newest + added + 1;
      insert into messages (team_id, position, id, mailbox_id, mailbox_with_tag, tag, domain, tenant_subdomain, sender,
                            sender_name, recipient, subject, received_at, stored_at, size, attachment_count, subject_folded,
                            sender_folded, recipient_folded, mailbox_with_tag_folded, object_mailbox)
      values (team, stored, item.id, item.mailbox_id, item.mailbox_with_tag, item.tag, item.domain, item.tenant_subdomain,
              item.sender, item.sender_name, item.recipient, item.subject, item.received_at, item.stored_at, item.size,
              item.attachment_count, item.subject_folded, item.sender_folded, item.recipient_folded,
              item.mailbox_with_tag_folded, item.object_mailbox)
      on conflict (team_id, id) do nothing;
      if found then
        added := added + 1;
      else
        stored := null;
      end if;
    end if;
    if stored is not null then
      insert into message_contents (team_id, position, headers, html, text, body_folded, codes, links, attachments, envelope,
                                    parse)
      values (team, stored, item.headers, item.html, item.text, item.body_folded, item.codes, item.links, item.attachments,
              item.envelope, item.parse);
      if item.deliveries is not null then
        due := (extract(epoch from statement_timestamp()) * 1000)::bigint;
        insert into deliveries (team_id, id, endpoint_id, event, event_id, message_id, body, status, next_attempt_at,
                                created_at)
        select team, d.id, d."endpointId", 'email.received', item.event_id, item.id, item.event_body, 'pending', due,
               item.stored_at
        from json_to_recordset(item.deliveries) as d (id text, "endpointId" text)
        where exists (select 1 from webhook_endpoints e
                      where e.team_id = team and e.id = d."endpointId" and e.is_active = 1);
        if found then
          insert into outboxes (team_id, due_at) values (team, due)
          on conflict (team_id) do update set due_at = least(outboxes.due_at, excluded.due_at);
        end if;
      end if;
    end if;
    return next;
  end loop;
  if added > 0 then
    update team_state set last_position = last_position + added, message_count = message_count + added where team_id = team;
  end if;
end $$;
