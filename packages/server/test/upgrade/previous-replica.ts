import pg from 'pg'
import { AT, deliveryId, type Replica } from './replica.ts'

const DEADLOCK = '40P01'
const IS_READ = 'coalesce(r.is_read, case when m.position <= t.read_through then 1 else 0 end)'

/** The statements of a server of schema 10, which knows nothing of schema 11. */
export async function connectPrevious(url: string): Promise<Replica> {
  const client = new pg.Client(url)
  await client.connect()

  /** Retried after a deadlock, as that version does. */
  async function run(...statements: string[]): Promise<void> {
    try {
      await client.query(['begin', ...statements, 'commit'].join(';\n'))
    } catch (error) {
      await client.query('rollback')
      if (!(error instanceof Error && 'code' in error && error.code === DEADLOCK)) throw error
      await run(...statements)
    }
  }

  const runFor = (teamId: string, ...statements: string[]) =>
    run(`select 1 from teams where id = '${teamId}' for no key update`, ...statements)

  const releaseName = (teamId: string, domain: string, which: string) => `
    update mailboxes set domain = domain || ' ' || team_id
    where domain = '${domain}' and team_id <> '${teamId}' and ${which}
      and exists (select 1 from teams where id = '${teamId}' and domain = '${domain}')`

  /** The messages `m` that `which` chooses are no longer counted. */
  const subtract = (teamId: string, which: string) => `
    update teams as t
    set (message_count, read_count) = (
      select t.message_count - count(*), t.read_count - count(*) filter (where ${IS_READ} = 1)
      from messages m left join read_marks r on r.sequence = m.sequence where ${which})
    where t.id = '${teamId}'`

  return {
    close: () => client.end(),

    addTeam: ({ id, domain }) =>
      run(`
        insert into teams (id, name, plan, domain, created_at)
        values ('${id}', 'Team', 'enterprise', ${domain === null ? 'null' : `'${domain}'`}, ${AT})`),

    moveTeam: (teamId, domain) =>
      runFor(
        teamId,
        `update teams set domain = '${domain}' where id = '${teamId}'`,
        releaseName(teamId, domain, 'true'),
        `update mailboxes set domain = '${domain}', updated_at = ${AT}
         where team_id = '${teamId}' and removed_at is null and domain <> '${domain}' and domain not like '% %'`,
      ),

    addMailbox: ({ teamId, id, name, domain, isCaught }) =>
      runFor(
        teamId,
        releaseName(teamId, domain, `name = '${name}'`),
        `insert into mailboxes (id, team_id, name, domain, created_at, updated_at)
         select '${id}', '${teamId}', '${name}', '${isCaught ? `${domain} ${teamId}` : domain}', ${AT}, ${AT}
         on conflict do nothing`,
      ),

    renameMailbox: ({ teamId, id, name: oldName, domain }, name) =>
      runFor(
        teamId,
        releaseName(teamId, domain, `name = '${name}'`),
        `update mailboxes set name = '${name}', updated_at = ${AT} where id = '${id}' and removed_at is null`,
        `update messages
         set mailbox_with_tag = replace(mailbox_with_tag, '${oldName}', '${name}'),
             mailbox_with_tag_folded = replace(mailbox_with_tag_folded, '${oldName}', '${name}')
         where mailbox_id = '${id}'`,
        `update teams
         set index_resets = index_resets + 1,
             indexed_through = (select least(min(m.position) - min(m.position) % 2048 - 1, teams.indexed_through)
                                from messages m where m.mailbox_id = '${id}')
         where id = '${teamId}'`,
      ),

    hideMailbox: ({ teamId, id }) =>
      runFor(
        teamId,
        `update mailboxes set name = id || ' ' || id, removed_at = ${AT} where id = '${id}' and removed_at is null`,
        subtract(teamId, `m.mailbox_id = '${id}'`),
      ),

    addMessage: ({ teamId, id: mailboxId, name, domain }, { id, text }, endpointIds = []) =>
      runFor(
        teamId,
        `insert into messages (team_id, position, id, mailbox_id, mailbox_with_tag, domain, sender, recipient, subject,
                               received_at, stored_at, size, attachment_count, subject_folded, sender_folded,
                               recipient_folded, mailbox_with_tag_folded, object_mailbox)
         select '${teamId}', (select last_position + 1 from teams where id = '${teamId}'), '${id}', '${mailboxId}',
                '${name}', '${domain}', 'shop@shop.example', '${name}@${domain}', 'Hello', ${AT}, ${AT}, 100, 0, 'hello',
                'shop@shop.example', '${name}@${domain}', '${name}', '${name}'
         where exists (select 1 from mailboxes where id = '${mailboxId}' and name = '${name}' and removed_at is null)
           and not exists (select 1 from removed_messages where id = '${id}')
         on conflict (id) do nothing`,
        ...endpointIds.map(
          (endpointId) => `
            insert into deliveries (id, endpoint_id, event, event_id, message_id, body, status, next_attempt_at, created_at)
            select '${deliveryId(id, endpointId)}', '${endpointId}', 'email.received', '${id}', m.id, 'body', 'pending',
                   ${AT}, ${AT}
            from messages m join teams t on t.id = m.team_id
            where m.id = '${id}' and t.id = '${teamId}' and m.position > t.last_position`,
        ),
        `update teams set last_position = last_position + 1, message_count = message_count + 1
         where id = '${teamId}'
           and last_position < (select case team_id when '${teamId}' then position end from messages where id = '${id}')`,
        `insert into message_contents (sequence, headers, text, codes, links, attachments, parse)
         select sequence, '[]', '${text}', '[]', '[]', '[]', 'complete' from messages where id = '${id}'
         on conflict (sequence) do nothing`,
      ),

    markMessages: (teamId, positions, isRead) =>
      runFor(
        teamId,
        `insert into read_marks (sequence, team_id, is_read, version)
         select m.sequence, m.team_id, ${isRead ? 1 : 0}, t.mark_version + 1
         from messages m join mailboxes b on b.id = m.mailbox_id and b.removed_at is null
              join teams t on t.id = m.team_id left join read_marks r on r.sequence = m.sequence
         where m.team_id = '${teamId}' and m.position in (${positions.join()}) and ${IS_READ} = ${isRead ? 0 : 1}
         on conflict (sequence) do update set is_read = excluded.is_read, version = excluded.version`,
        `update teams
         set read_count = read_count ${isRead ? '+' : '-'} c.changed, mark_version = mark_version + 1
         from (select count(*) as changed from read_marks r join teams t on t.id = r.team_id
               where r.team_id = '${teamId}' and r.version = t.mark_version + 1) c
         where id = '${teamId}' and c.changed > 0`,
      ),

    markAllRead: (teamId, upTo) =>
      runFor(
        teamId,
        `update teams set read_through = greatest(read_through, ${upTo}), mark_version = mark_version + 1
         where id = '${teamId}'
           and (read_through < ${upTo} or exists (select 1 from read_marks where team_id = '${teamId}' and is_read = 0))`,
        `update read_marks r set is_read = 1, version = (select mark_version from teams where id = '${teamId}')
         from messages m
         where m.sequence = r.sequence and r.team_id = '${teamId}' and r.is_read = 0 and m.position <= ${upTo}`,
        `update teams t
         set read_count = message_count
           - (select count(*) from messages m join mailboxes b on b.id = m.mailbox_id and b.removed_at is null
                left join read_marks r on r.sequence = m.sequence
              where m.team_id = t.id and ${IS_READ} = 0)
         where id = '${teamId}'`,
      ),

    removeMessages: (teamId, positions) => {
      const chosen = `m.team_id = '${teamId}' and m.position in (${positions.join()})`
      const isVisible = 'exists (select 1 from mailboxes b where b.id = m.mailbox_id and b.removed_at is null)'
      return runFor(
        teamId,
        `insert into removed_messages (id, domain, mailbox, removed_at, has_objects, team_id)
         select m.id, m.domain, m.object_mailbox, ${AT}, 1, m.team_id from messages m where ${chosen}
         on conflict (id) do nothing`,
        subtract(teamId, `${chosen} and ${isVisible}`),
        `delete from messages as m where ${chosen}`,
      )
    },

    addEndpoint: ({ teamId, id }) =>
      runFor(
        teamId,
        `insert into webhook_endpoints (id, team_id, url, secret, secret_masked, created_at, updated_at)
         values ('${id}', '${teamId}', 'https://${id}.test', '', '', ${AT}, ${AT}) on conflict do nothing`,
      ),

    finishAttempt: ({ id }, status) =>
      run(
        `update deliveries
         set status = '${status}', attempt = attempt + 1, next_attempt_at = ${status === 'pending' ? AT + 1 : 'null'},
             finished_at = ${status === 'pending' ? 'null' : AT}
         where id = '${id}'`,
        `insert into delivery_attempts (delivery, at) select sequence, ${AT} from deliveries where id = '${id}'`,
      ),

    addRejection: (domain, code) =>
      run(`
        insert into rejections (team_id, at, sender, recipient, code, reason)
        values ((select id from teams where domain = '${domain}'), ${AT}, '', '', '${code}', '')`),
  }
}
