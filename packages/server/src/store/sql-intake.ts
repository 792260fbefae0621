import { returning, type Database, type Dialect, type NewRow, type Returning, type StoredRow } from './database.ts'
import { insertDeliveries } from './sql-deliveries.ts'
import { mailboxNames } from './sql-mailbox-names.ts'
import { sql, type Sql } from './sql.ts'
import type { Destination } from './mailboxes.ts'
import type { MessageStore, NewMessage } from './messages.ts'
import type { TextIndex } from './text-index.ts'
import type { NewEvent } from './webhooks.ts'

/** Stores new messages. */
export function intakeStore(
  database: Database,
  textIndex: Pick<TextIndex, 'messageAdded'>,
): Pick<MessageStore, 'addMessage' | 'addFirstMessage'> {
  const { dialect, read, writeFor, storeMessage } = database
  const { addMailboxWith } = mailboxNames(database)

  async function insert(mailbox: Destination, message: NewMessage, event: NewEvent | null): Promise<StoredRow> {
    if (storeMessage) return storeMessage(mailbox.teamId, rowOf(mailbox, message, event))
    const [[added]] = await writeFor(mailbox.teamId, ...insertMessage(dialect, mailbox, message, event))
    if (added) return { stored: added.position, isUnchanged: true }
    return { stored: null, isUnchanged: (await read(isUnchanged(mailbox, message))).length > 0 }
  }

  async function addMessage(mailbox: Destination, message: NewMessage, event: NewEvent | null = null) {
    const row = await insert(mailbox, message, event)
    if (row.stored === null) return row.isUnchanged ? 'duplicate' : 'mailbox gone'
    textIndex.messageAdded(mailbox.teamId, row.stored)
    return row.stored
  }

  return {
    addMessage,

    async addFirstMessage(mailbox, teamDomain, message, event = null) {
      // Where one call stores messages, it cannot add a mailbox.
      const together = storeMessage ? [] : insertMessage(dialect, mailbox, message, event)
      const added = await addMailboxWith(mailbox, { mailboxesMax: null, teamDomain }, together)
      if (typeof added === 'string') return 'mailbox gone'
      const [rows] = added.rest
      if (!rows) return addMessage(mailbox, message, event)
      const [row] = rows
      if (!row) return 'duplicate'
      textIndex.messageAdded(mailbox.teamId, row.position)
      return row.position
    },
  }
}

/** Returns one row if the mailbox exists, still has the name, and its team still receives the mail for the address. */
function isUnchanged(mailbox: Destination, { domain }: NewMessage): Sql {
  const { teamId, id, name } = mailbox
  return sql`
    select 1 from mailboxes
    where team_id = ${teamId} and id = ${id} and name = ${name} and removed_at is null and ${isHeld(mailbox, domain)}`
}

/** See `HeldBy`. Announced again after the address changed hands, the message is in another team by now. */
function isHeld({ teamId, name, heldBy }: Destination, domain: string): Sql {
  const isOthers = sql`exists (select 1 from teams where domain = ${domain} and id <> ${teamId})`
  if (heldBy === 'domain') return sql`exists (select 1 from teams where domain = ${domain} and id = ${teamId})`
  if (heldBy === 'catch-all') return sql`not ${isOthers}`
  if (heldBy === undefined) return sql`true`
  return sql`
    not ${isOthers}
    and exists (select 1 from root_names where domain = ${domain} and name = ${name} and team_id = ${teamId})`
}

/**
 * Must run with the team's lock, so that positions become visible in order. The later statements check for themselves
 * whether the first one inserted a row, so a remote database can receive all of them, and those of other messages, in one
 * round trip.
 */
function insertMessage(
  dialect: Dialect,
  mailbox: Destination,
  message: NewMessage,
  event: NewEvent | null,
): [Returning<{ position: number }>, ...Sql[]] {
  const { teamId } = mailbox
  return [
    returning(sql`
      insert into messages (team_id, position, id, mailbox_id, mailbox_with_tag, tag, domain, tenant_subdomain,
                            sender, sender_name, recipient, subject, received_at, stored_at, size, attachment_count,
                            subject_folded, sender_folded, recipient_folded, mailbox_with_tag_folded, object_mailbox)
      select s.team_id, s.last_position + 1, ${message.id},
             ${mailbox.id}, ${message.mailboxWithTag}, ${message.tag}, ${message.domain}, ${message.tenantSubdomain},
             ${message.from}, ${message.fromName}, ${message.to}, ${message.subject}, ${message.receivedAt},
             ${message.storedAt}, ${message.size}, ${message.attachments.length}, ${message.subjectFolded},
             ${message.fromFolded}, ${message.toFolded}, ${message.mailboxWithTagFolded}, ${message.objectMailbox}
      from team_state s
      where s.team_id = ${teamId} and exists (${isUnchanged(mailbox, message)})
        and not exists (select 1 from removed_messages where team_id = ${teamId} and id = ${message.id})
      on conflict (team_id, id) do nothing
      returning position`),
    ...insertDeliveries(dialect, mailbox, message, event),
    sql`
      update team_state set last_position = last_position + 1, message_count = message_count + 1
      where team_id = ${teamId}
        and last_position < (select position from messages where team_id = ${teamId} and id = ${message.id})`,
    sql`
      insert into message_contents (team_id, position, headers, html, text, body_folded, codes, links, attachments, envelope,
                                    parse)
      select team_id, position, ${JSON.stringify(message.headers)}, ${message.html}, ${message.text},
             ${foldedUnlessAscii(message)}, ${JSON.stringify(message.codes)}, ${JSON.stringify(message.links)},
             ${JSON.stringify(message.attachments)}, ${message.envelope && JSON.stringify(message.envelope)},
             ${message.parse}
      from messages where team_id = ${teamId} and id = ${message.id}
      on conflict (team_id, position) do nothing`,
  ]
}

function rowOf(mailbox: Destination, message: NewMessage, event: NewEvent | null): NewRow {
  return {
    mailbox_id: mailbox.id,
    mailbox: mailbox.name,
    held_by: mailbox.heldBy ?? null,
    id: message.id,
    mailbox_with_tag: message.mailboxWithTag,
    tag: message.tag,
    domain: message.domain,
    tenant_subdomain: message.tenantSubdomain,
    sender: message.from,
    sender_name: message.fromName,
    recipient: message.to,
    subject: message.subject,
    received_at: message.receivedAt,
    stored_at: message.storedAt,
    size: message.size,
    attachment_count: message.attachments.length,
    subject_folded: message.subjectFolded,
    sender_folded: message.fromFolded,
    recipient_folded: message.toFolded,
    mailbox_with_tag_folded: message.mailboxWithTagFolded,
    object_mailbox: message.objectMailbox,
    headers: JSON.stringify(message.headers),
    html: message.html,
    text: message.text,
    body_folded: foldedUnlessAscii(message),
    codes: JSON.stringify(message.codes),
    links: JSON.stringify(message.links),
    attachments: JSON.stringify(message.attachments),
    envelope: message.envelope && JSON.stringify(message.envelope),
    parse: message.parse,
    ...(event && { event_id: event.id, event_body: event.body, deliveries: event.deliveries }),
  }
}

/** ASCII text needs no folded copy: `lower` of both databases folds it the same way. */
function foldedUnlessAscii({ text, bodyFolded }: NewMessage): string | null {
  return text !== null && Buffer.byteLength(text) === text.length ? null : bodyFolded
}
