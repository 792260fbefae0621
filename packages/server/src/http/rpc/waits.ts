import type { MessageFilter } from '../../domain/match.ts'
import type { HeldWait } from '../../read/wait.ts'
import { isoTime } from '../present.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

/** As many as someone reads. */
const SHOWN_MAX = 100

/** Spans and no times, so that no clock of a browser is compared with ours. */
export type ShownWait = { waitedMs: number; waitMs: number; filter: { name: string; value: string }[] }

/** Which tests wait for mail at this moment; each process knows of those that it holds itself. */
export function waitsRouter({ waits, now }: RpcPorts) {
  return router({
    list: procedure('members').query(({ ctx: { team } }): { waits: ShownWait[]; count: number } => {
      const held = waits.heldFor(team.id)
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
    // The first reading is the one that was given.
    const [value] = filter[name] ?? []
    if (value !== undefined) yield { name, value }
  }
  if (header) yield { name: 'header', value: `${header.name}: ${header.value}` }
  for (const [name, time] of Object.entries({ start, end, since })) {
    if (time !== undefined) yield { name, value: isoTime(time) }
  }
}
