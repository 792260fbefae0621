import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const MIGRATIONS = join(import.meta.dirname, '../../src/store/migrations')

/** A new file with schema 10, the last one whose keys do not begin with a team. */
export function createSchemaTen(path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  const steps = readdirSync(MIGRATIONS)
    .sort()
    .filter((name) => name < '011')
  for (const name of steps) database.exec(readFileSync(join(MIGRATIONS, name), 'utf8'))
  database.exec('pragma user_version = 10')
  return database
}

/** Of the team `acme`, at positions from 1, besides those in ODD_ROWS. */
export function addPlainMessages(database: DatabaseSync, count: number): void {
  const numbers = 'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)'
  database
    .prepare(
      `${numbers}
       insert into messages (sequence, team_id, position, id, mailbox_id, mailbox_with_tag, tag, domain, sender, recipient, subject,
                             received_at, stored_at, attachment_count, subject_folded, sender_folded, recipient_folded,
                             mailbox_with_tag_folded, object_mailbox)
       select 100 + n, 'acme', n, 'm' || n, 'qa-id', 'qa', iif(n % 3 = 0, 'tag', null), 'acme.test', 'a@b.test', 'qa@acme.test',
              'Hello ' || n, 1000 + n, 2000 + n, 0, 'hello ' || n, 'a@b.test', 'qa@acme.test', 'qa', 'qa'
       from numbers`,
    )
    .run(count)
  database
    .prepare(
      `${numbers}
       insert into message_contents (sequence, headers, html, text, body_folded, codes, links, attachments, envelope, parse)
       select 100 + n, '[]', '<p>' || n || '</p>', 'Text ' || n, null, '[]', '[]', '[]', null, 'complete' from numbers`,
    )
    .run(count)
}

/** Two teams: `acme` has its own domain, `beta` uses the root domain `in.test`. Sequences of their rows alternate. */
export const ODD_ROWS = `
  insert into teams (id, name, plan, domain, last_position, message_count, created_at, indexed_through, index_resets, read_through,
                     read_count, mark_version)
  values ('acme', 'Acme', 'pro', 'acme.test', 5001, 12, 1, 2047, 3, 7, 5, 9),
         ('beta', 'Beta', 'free', null, 3, 2, 2, 0, 0, 1, 1, 2);

  insert into mailboxes (id, team_id, name, domain, created_at, updated_at, removed_at)
  values ('qa-id', 'acme', 'qa', 'acme.test', 10, 11, null),
         ('hidden-id', 'acme', 'hidden', 'acme.test', 12, 13, 14),
         ('foreign-id', 'acme', 'foreign', 'in.test', 15, 15, null),
         ('login-id', 'beta', 'login', 'in.test', 16, 16, null),
         ('gone-id', 'beta', 'gone', 'in.test', 17, 17, 18),
         ('caught-id', 'beta', 'caught', 'shop.test beta', 19, 19, null),
         ('caught-gone-id', 'beta', 'caught-gone', 'shop.test beta', 20, 20, 21);

  insert into messages (sequence, team_id, position, id, mailbox_id, mailbox_with_tag, tag, domain, tenant_subdomain, sender,
                        sender_name, recipient, subject, received_at, stored_at, size, attachment_count, subject_folded,
                        sender_folded, recipient_folded, mailbox_with_tag_folded, object_mailbox)
  values (1, 'beta', 1, 'b1', 'caught-id', 'caught+T', 'T', 'shop.test', null, 'Ä@b.test', 'Ærø', 'caught+T@shop.test', 'É', 5, 6,
          700, 2, 'é', 'ä@b.test', 'caught+t@shop.test', 'caught+t', 'caught-before'),
         (90, 'acme', 5000, 'a5000', 'hidden-id', 'hidden', null, 'acme.test', 'sub', '', null, '', '', 7, 8, null, 0, '', '', '',
          'hidden', 'hidden'),
         (99999, 'beta', 3, 'b3', 'login-id', 'login', null, 'in.test', null, '', null, '', 'No content', 9, 9, 1, 0, '', '', '',
          'login', 'login');
  insert into message_contents (sequence, headers, html, text, body_folded, codes, links, attachments, envelope, parse)
  values (1, '[{"name":"X","value":"1"}]', null, 'ÄÖ', 'äö', '["123"]', '["https://x.test"]', '[{}]', '{"from":""}', 'partial'),
         (90, '[]', '<p>', null, null, '[]', '[]', '[]', null, 'complete');
  insert into read_marks (sequence, team_id, is_read, version)
  values (1, 'beta', 0, 2), (90, 'acme', 1, 9), (101, 'acme', 0, 8);

  insert into removed_messages (id, domain, mailbox, removed_at, has_objects, team_id)
  values ('r1', 'acme.test', 'qa', 30, 1, 'acme'), ('r2', 'in.test', 'login', 31, 0, null);
  insert into rejections (id, team_id, at, sender, recipient, code, reason)
  values (1, 'acme', 40, 'a@b.test', 'x@acme.test', '550', 'no'), (2, null, 41, '', 'x@nobody.test', 'unknown', 'nobody'),
         (3, 'beta', 42, '', '', '', '');

  insert into webhook_endpoints (id, team_id, url, description, mailbox, tag, is_active, disabled_reason, secret, secret_masked,
                                 old_secrets, failing_since, created_at, updated_at, removed_at)
  values ('e1', 'acme', 'https://hook.test', 'd', 'qa', 'T', 1, null, 's', 'm', '[{"secret":"o","until":1}]', 50, 51, 52, null),
         ('e2', 'beta', 'https://hook.test', null, null, null, 0, 'failing', 's', 'm', '[]', null, 53, 53, 54);
  -- d1 was replayed after two attempts; d2 is leased; d3 is a test.
  insert into deliveries (sequence, id, endpoint_id, event, event_id, message_id, body, status, attempt, attempts_before,
                          next_attempt_at, http_status, response_body, latency_ms, error, lease_owner, lease_until, created_at,
                          finished_at)
  values (1, 'd1', 'e1', 'message', 'v1', 'm1', '{"n":1}', 'pending', 1, 2, 900, 500, 'no', 12, 'error', null, null, 60, null),
         (2, 'd2', 'e1', 'message', 'v2', 'm2', '{"n":2}', 'pending', 0, 0, 800, null, null, null, null, 'owner', 999, 61, null),
         (3, 'd3', 'e2', 'test', 'v3', null, '{"n":3}', 'success', 1, 0, null, 200, '', 3, null, null, null, 62, 63);
  insert into delivery_attempts (sequence, delivery, at, http_status, response_body, latency_ms, error)
  values (10, 1, 70, 500, 'a', 1, null), (11, 3, 71, 200, '', 3, null), (12, 1, 72, null, null, null, 'timeout'),
         (20, 1, 69, 500, 'no', 12, 'error');

  insert into text_blocks (id, team_id, block, newest_received_at, oldest_received_at) values (1, 'acme', 0, 2, 1);
  insert into text_slices (place, bits) values (8192, x'01'), (8195, x'02')`
