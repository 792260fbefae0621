import { sql } from './sql.ts'

/** The mailbox of message `m`, unless it is being deleted: then its messages are invisible. */
export const IN_MAILBOX = sql`join mailboxes b on b.team_id = m.team_id and b.id = m.mailbox_id and b.removed_at is null`

export const MESSAGES = sql`messages m ${IN_MAILBOX}`

export const MESSAGES_WITH_CONTENT = sql`${MESSAGES} join message_contents c on c.team_id = m.team_id and c.position = m.position`
