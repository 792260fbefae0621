import type { Me } from '@mailhatch/sdk'
import { randomText, type RandomInt } from '../domain/random-text.ts'
import type { MailReader } from './mail-reader.ts'

/** RFC 5321, 4.5.3.1.1. */
const LOCAL_PART_LENGTH_MAX = 64
const LABEL_LENGTH_MAX = 20
// 36^8 values: the chance that two of a million addresses collide is one in six.
const UNIQUE = { alphabet: 'abcdefghijklmnopqrstuvwxyz0123456789', length: 8 }
const MAILBOX_DEFAULT = 'e2e'

/** A unique address: the mailbox of the key, else the team's oldest, with a random tag. */
export async function newAddress(reader: MailReader, me: Me, label: string, random: RandomInt): Promise<string> {
  const mailbox = me.key.mailbox ?? (await oldestMailbox(reader)) ?? MAILBOX_DEFAULT
  const unique = randomText(UNIQUE, random)
  const room = LOCAL_PART_LENGTH_MAX - mailbox.length - unique.length - '+-'.length
  const prefix = slug(label).slice(0, Math.max(0, Math.min(room, LABEL_LENGTH_MAX)))
  return `${mailbox}+${prefix ? `${prefix}-` : ''}${unique}@${me.team.domain}`
}

async function oldestMailbox(reader: MailReader): Promise<string | undefined> {
  const all = await reader.mailboxes()
  return all.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))[0]?.name
}

function slug(label: string): string {
  return label
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
