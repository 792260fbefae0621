import type { MessageFilter } from '../../domain/match.ts'
import type { HeldWait } from '../../read/wait.ts'
import { isoTime } from '../present.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

/** More would not be readable. */
const SHOWN_MAX = 100

/** Durations instead of times, because the clock of the browser may differ from the server's. */
export type ShownWait = { waitedMs: number; waitMs: number; filter: { name: string; value: string }[] }

/** The waits that this process holds now. Those of other replicas are not included. */
export function waitsRouter({ messages, now }: Pick<RpcPorts, 'messages' | 'now'>) {
  return router({
    list: procedure('members').query(({ ctx: { team } }): { waits: ShownWait[]; count: number } => {
      const held = messages.waits.heldFor(team.id)
      return { waits: held.slice(0, SHOWN_MAX).map((wait) => present(wait, now())), count: held.length }
    }),
  })
}

function present({ filter, startedAt, waitMs }: HeldWait, now: number): ShownWait {
  return { waitedMs: now - startedAt, waitMs, filter: Array.from(shownParameters(filter)) }
}

function* shownParameters(filter: MessageFilter): Generator<{ name: string; value: string }> {
  const { mailbox, tag, tags, header, start, end, since } = filter
  if (mailbox) {
    const withTag = mailbox.tag === null ? mailbox.name : `${mailbox.name}+${mailbox.tag}`
    yield { name: 'mailbox', value: mailbox.domain === null ? withTag : `${withTag}@${mailbox.domain}` }
  }
  if (tag !== undefined) yield { name: 'tag', value: tag }
  if (tags) yield { name: 'tags', value: tags.join(', ') }
  for (const name of ['to', 'from', 'subject', 'text', 'q'] as const) {
    // The first needle is the text as given.
    const [value] = filter[name] ?? []
    if (value !== undefined) yield { name, value }
  }
  if (header) yield { name: 'header', value: `${header.name}: ${header.value}` }
  for (const [name, time] of Object.entries({ start, end, since })) {
    if (time !== undefined) yield { name, value: isoTime(time) }
  }
}
