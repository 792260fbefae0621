import { DatabaseSync } from 'node:sqlite'
import { addMailbox, addTeam } from '../../src/store/store-contract.ts'
import type { Mailbox, Team } from '../../src/store/mailboxes.ts'
import type { Store } from '../../src/store/store.ts'

export type Filled = { team: Team; large: Mailbox; quiet: Mailbox; start: number }

/** One message in this many has the tag `often`; the others share a thousand tags. */
const OFTEN_EVERY = 2
const MINUTE_MS = 60_000

/**
 * A team with many messages of 2 kB each, written directly to the file of a store: nearly all in the mailbox `large`, ten
 * in `quiet`, one a minute. No text has a `z`.
 */
export async function fillWithMessages(store: Store, path: string, count: number): Promise<Filled> {
  const team = await addTeam(store)
  const large = await addMailbox(store, team, 'large')
  const quiet = await addMailbox(store, team, 'quiet')
  const start = Date.parse('2026-01-01T00:00:00Z')
  const connection = new DatabaseSync(path)
  connection.exec('pragma synchronous = off; begin')
  connection
    .prepare(`
      insert into messages (team_id, position, id, mailbox_id, mailbox_with_tag, tag, domain, tenant_subdomain,
                            sender, sender_name, recipient, subject, received_at, stored_at, size, attachment_count,
                            subject_folded, sender_folded, recipient_folded, mailbox_with_tag_folded, object_mailbox)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < :count)
      select :team, n, printf('%08x-0000-7000-8000-%012x', n, n), iif(n <= 10, :quiet, :large),
             iif(n <= 10, 'quiet', 'large'), iif(n % ${OFTEN_EVERY} = 0, 'often', 'tag' || (n % 1000)), :domain, null,
             'shop@shop.example', null, 'qa@' || :domain, 'Hello ' || n, :start + n * ${MINUTE_MS},
             :start + n * ${MINUTE_MS}, 500, 0, 'hello ' || n, 'shop@shop.example', 'qa@' || :domain,
             iif(n <= 10, 'quiet', 'large'), 'large'
      from numbers`)
    .run({ count, team: team.id, quiet: quiet.id, large: large.id, domain: team.domain, start })
  connection
    .prepare(`
      insert into message_contents (team_id, position, headers, html, text, body_folded, codes, links, attachments, envelope,
                                    parse)
      select team_id, position, '[{"name":"X-Test","value":"' || position || '"},{"name":"From","value":"shop"}]', null,
             :text || position, null, '[]', '[]', '[]', null, 'complete'
      from messages where team_id = :team`)
    .run({ team: team.id, text: 'A text as it is in many mails, with a link and some words around it. '.repeat(30) })
  connection
    .prepare('update team_state set last_position = ?, message_count = ? where team_id = ?')
    .run(count, count, team.id)
  connection.exec('commit')
  connection.close()
  return { team, large, quiet, start }
}
