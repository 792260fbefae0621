import { Inbox, type InboxPorts } from './inbox.ts'
import { slug } from './slug.ts'
import type { Mailbox, Me } from './wire.ts'

/** Where the key is bound to none and the team has none: the first mail to a domain of its own makes it. */
const MAILBOX_WHERE_NONE_IS = 'e2e'
/** 50 bits: two of a million addresses are the same with a chance of one in two thousand. */
const RANDOM_CHARACTERS = 10
/** 32 of them, so that each byte gives one without preferring any; none that people confuse. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789'
/** With the longest of usual mailbox names and an alias, 64 characters before the @ must do. */
const PREFIX_CHARACTERS_MAX = 24

export type AddressOptions = {
  /** Put before the random part, to recognise the address by: the name of a test for example. */
  prefix?: string
  /** The key's own, the team's first, or `e2e`, unless told. */
  mailbox?: string
}

export type AddressPorts = InboxPorts & { me: () => Promise<Me>; mailboxes: () => Promise<Mailbox[]> }

export type Addresses = ReturnType<typeof createAddresses>

export function createAddresses({ me, mailboxes, ...inboxPorts }: AddressPorts) {
  let asked: Promise<Me> | undefined

  /** Once a client; a failure is forgotten. */
  function askOnce(): Promise<Me> {
    asked ??= me().catch((error: unknown) => {
      asked = undefined
      throw error
    })
    return asked
  }

  return {
    /**
     * An address that nobody else has; nothing is made on the server, so there is nothing to clean up.
     *
     * @example
     * const inbox = await mailhatch.addresses.create({ prefix: 'signup' })
     * console.log(inbox.address) // qa+signup-k3v9t0mzqa@mailhatch.test
     */
    async create({ prefix = '', mailbox }: AddressOptions = {}): Promise<Inbox> {
      if (mailbox !== undefined && /[@+\s]|^$/.test(mailbox)) {
        throw new TypeError(`A mailbox is the name before the + and the @, such as 'qa', not '${mailbox}'.`)
      }
      const { key, team, cursor } = await askOnce()
      const name = mailbox?.toLowerCase() ?? key.mailbox ?? firstOf(await mailboxes()) ?? MAILBOX_WHERE_NONE_IS
      const start = slug(slug(prefix).slice(0, PREFIX_CHARACTERS_MAX))
      const tag = start === '' ? randomText() : `${start}-${randomText()}`
      return new Inbox(inboxPorts, { mailbox: name, tag, domain: team.domain, cursor })
    },
  }
}

/** The oldest, which stays the same while tests make others. */
function firstOf(mailboxes: Mailbox[]): string | undefined {
  return mailboxes.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))[0]?.name
}

function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_CHARACTERS))
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}
