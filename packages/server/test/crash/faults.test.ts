import { afterAll, beforeAll, expect, test } from 'vitest'
import { KINDS } from '../support/call-faults.ts'
import { sqliteDatabase } from '../support/fault-databases.ts'
import {
  embeddedInbox,
  folderInbox,
  r2Inbox,
  s3Inbox,
  withOldUndo,
  withoutErrors,
  type FaultyInbox,
  type InboxOptions,
} from '../support/fault-inboxes.ts'
import { openFaultRig, someFault, type RigOptions } from '../support/fault-run.ts'
import { startObjectStorage, type ObjectStorage } from '../support/object-storage.ts'
import { seededRandom } from '../support/seeded-random.ts'

// The full count, on both databases, is `npm run prove -- --only faults`.

const LATE_MS = 100

let storage: ObjectStorage
beforeAll(async () => {
  storage = await startObjectStorage()
})
afterAll(() => storage.close())

type OpenInbox = (options: InboxOptions) => Promise<FaultyInbox>

async function openRig(seed: number, openInbox: OpenInbox, wrap: Pick<RigOptions, 'wrap'> = {}) {
  const random = seededRandom(seed)
  const inbox = await openInbox({ random, s3Limits: 'none' })
  const rig = await openFaultRig({ random, lateMs: LATE_MS, inbox, database: await sqliteDatabase(), ...wrap })
  return { random, rig }
}

test.each<[string, OpenInbox]>([
  ['embedded', embeddedInbox],
  ['folder', folderInbox],
  ['S3', (options) => s3Inbox(storage, options)],
  ['R2', (options) => r2Inbox(storage, options)],
])('%s: a fault of each kind in bucket or database loses no accepted mail', async (name, openInbox) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const { random, rig } = await openRig(seed, openInbox)
  // On the way to a 250 and to the message.
  const calls = rig.calls.filter(({ call }) => ['put', 'move', 'writeFor'].includes(call))
  for (const kind of KINDS) await rig.run(someFault(random, random.pick(calls), kind))
  const report = await rig.end()
  console.info(name, seed, JSON.stringify(report))
  expect(report).toMatchObject({ notStored: [], notAnnounced: [], twice: [], unreadable: [], wrongBytes: 0 })
  expect(report.accepted).toBeGreaterThan(0)
})

test.each([
  ['errors that the bucket hides', 'put', withoutErrors, 'notStored'],
  ['the old undo of a rewrite', 'move', withOldUndo, 'notAnnounced'],
] as const)('control: mail lost by %s is detected', async (_name, call, wrap, loss) => {
  const { random, rig } = await openRig(7, folderInbox, { wrap })
  for (let run = 0; run < 4; run++) {
    await rig.run({ ...someFault(random, { port: 'bucket', call }, 'error before'), lasts: true })
  }
  expect((await rig.end())[loss].length).toBeGreaterThan(0)
})
