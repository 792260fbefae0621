import { mkdirSync } from 'node:fs'
import { createSqlStore } from '../../packages/server/src/store/sql-store.ts'
import type { Mailbox } from '../../packages/server/src/store/mailboxes.ts'
import type { Store } from '../../packages/server/src/store/store.ts'
import { perSecond } from '../statistics.ts'
import { openPlace, type Place } from '../search/databases.ts'
import { addTeam, untilIndexed } from '../search/fill.ts'
import { drawAt, messageAt, RARE_HITS, terms } from '../search/mail.ts'

/** Messages per commit. */
const GROUP = 256
const PROGRESS_EVERY = 50_000
/** As many as the sweep removes in one step. */
const REMOVED_AT_ONCE = 100
/** The messages of bench/search are drawn from a store of this size. */
const DRAWN_FROM = 1_000_000

/** A store of one team that grows from one measurement to the next, while no program uses it. */
export class GrownStore {
  readonly place: Place
  #mailboxes: Mailbox[] = []
  #added = 0

  constructor(place: Place) {
    this.place = place
    mkdirSync(place.folder, { recursive: true, mode: 0o700 })
  }

  /** Adds messages until there have been so many. */
  async growTo(size: number): Promise<void> {
    await this.#open(async (store, waitForIndex) => {
      if (this.#mailboxes.length === 0) this.#mailboxes = await addTeam(store, 'large')
      while (this.#added < size) {
        const group = Math.min(GROUP, size - this.#added)
        await Promise.all(Array.from({ length: group }, () => this.#addOne(store)))
        if (this.#added % PROGRESS_EVERY < group) console.log(`  ${this.#added} of ${size} messages stored`)
      }
      await waitForIndex(this.#mailboxes[0]!.teamId)
    })
  }

  /** Removes the oldest messages, and resolves to how many per second. */
  async remove(count: number): Promise<number> {
    const { teamId } = this.#mailboxes[0]!
    let elapsedMs = 0
    await this.#open(async (store) => {
      const startedAt = performance.now()
      for (let removed = 0; removed < count; removed += REMOVED_AT_ONCE) {
        const positions = await store.expiredPositions(teamId, { before: Date.now(), limit: REMOVED_AT_ONCE })
        await store.removeMessages(teamId, positions, Date.now())
      }
      elapsedMs = performance.now() - startedAt
    })
    return perSecond(count, elapsedMs)
  }

  /** A term of the message with this number, counted from the newest, which is not removed. */
  termOf(number: number): { tag: string; word: string; mailbox: string } {
    const index = this.#added - 1 - (number % Math.ceil(this.#added / 2))
    const rare = drawAt(30, index, Math.floor(DRAWN_FROM / RARE_HITS))
    return { tag: terms.rare.to(rare), word: terms.rare.body(rare), mailbox: `box${drawAt(32, index, 100)}` }
  }

  async #addOne(store: Store): Promise<void> {
    const message = messageAt(this.#added++, DRAWN_FROM, this.#mailboxes, Date.now())
    await store.addMessage(
      this.#mailboxes.find(({ name }) => name === message.objectMailbox)!,
      message,
    )
  }

  async #open(work: (store: Store, waitForIndex: (teamId: string) => Promise<void>) => Promise<void>): Promise<void> {
    const database = await openPlace(this.place)
    const store = createSqlStore(database, { onError: (error) => console.error(error) })
    try {
      await work(store, (teamId) => untilIndexed(database, teamId))
    } finally {
      await store.close()
    }
  }
}
