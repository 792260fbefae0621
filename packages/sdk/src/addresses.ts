import { Inbox, type InboxPorts } from './inbox.ts'
import { anything, checkOptions, type OptionChecks } from './options.ts'
import { slug } from './slug.ts'
import type { Mailbox, Me } from './wire.ts'

/** If the key has no mailbox and the team has none. On a custom domain, the first mail creates it. */
const DEFAULT_MAILBOX = 'e2e'
/** 50 bits: the chance that two of a million addresses collide is one in two thousand. */
const RANDOM_CHARACTERS = 10
/** 32 characters, so that a byte maps to them without bias. Characters that people confuse are left out. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789'
/** Leaves room for a long mailbox name and an alias within the 64 characters before the @. */
const PREFIX_CHARACTERS_MAX = 24

export type AddressOptions = {
  /** Put before the random part to make the address recognisable, for example the name of the test. */
  prefix?: string
  /** Default: the mailbox of the key, else the team's first, else `e2e`. */
  mailbox?: string
}

const ADDRESS_OPTIONS: OptionChecks<AddressOptions> = { prefix: anything, mailbox: anything }

export type AddressPorts = InboxPorts & { me: () => Promise<Me>; mailboxes: () => Promise<Mailbox[]> }

export type Addresses = ReturnType<typeof createAddresses>

export function createAddresses({ me, mailboxes, ...inboxPorts }: AddressPorts) {
  let cached: Promise<Me> | undefined

  /** One request per client; failures are not cached. */
  function cachedMe(): Promise<Me> {
    cached ??= me().catch((error: unknown) => {
      cached = undefined
      throw error
    })
    return cached
  }

  return {
    /**
     * Creates a unique address. Nothing is stored on the server, so there is nothing to clean up.
     *
     * @example
     * const inbox = await mailhatch.addresses.create({ prefix: 'signup' })
     * console.log(inbox.address) // qa+signup-k3v9t0mzqa@mailhatch.test
     */
    async create(options: AddressOptions = {}): Promise<Inbox> {
      const { prefix = '', mailbox } = checkOptions('addresses.create', options, ADDRESS_OPTIONS)
      if (mailbox !== undefined && /[@+\s]|^$/.test(mailbox)) {
        throw new TypeError(`A mailbox is the name before the + and the @, such as 'qa', not '${mailbox}'.`)
      }
      const { key, team, cursor } = await cachedMe()
      const name = mailbox?.toLowerCase() ?? key.mailbox ?? firstOf(await mailboxes()) ?? DEFAULT_MAILBOX
      const start = slug(slug(prefix).slice(0, PREFIX_CHARACTERS_MAX))
      const tag = start === '' ? randomText() : `${start}-${randomText()}`
      return new Inbox(inboxPorts, { mailbox: name, tag, domain: team.domain, cursor })
    },
  }
}

/** The oldest, so that the result does not change when tests create mailboxes. */
function firstOf(mailboxes: Mailbox[]): string | undefined {
  return mailboxes.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))[0]?.name
}

function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_CHARACTERS))
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}
