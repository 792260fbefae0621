import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startChild } from '../support/child-server.ts'
import { randomMail, randomSize } from '../support/random-mail.ts'
import { temporaryFolder } from '../support/server.ts'
import { SmtpClient } from '../support/smtp-client.ts'

const MAILS = 150
const MAIL_BYTES = { bytesMin: 500, bytesMax: 60_000 }
const CALLS = 'trace=write,writev,sendto,sendmsg,pwrite64,fsync,fdatasync'

/** System calls between the acceptance of one mail and the next. */
type Turn = { writes: number; syncs: number; isUnsynced: boolean }

/** Reads a trace line by line. An interrupted call counts when it is finished. */
function readTurns(trace: string): Turn[] {
  const turns: Turn[] = []
  const unfinished = new Map<string, string>()
  let turn: Turn = { writes: 0, syncs: 0, isUnsynced: false }
  for (const line of trace.split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(thread, rest)
      // A reply is sent as soon as the call starts.
      if (!isAcceptance(rest)) continue
    }
    const call = rest.startsWith('<... ') ? (unfinished.get(thread) ?? '') : rest
    if (rest.startsWith('<... ') && isAcceptance(call)) continue
    if (isAcceptance(call)) {
      turns.push(turn)
      turn = { writes: 0, syncs: 0, isUnsynced: turn.isUnsynced }
    } else if (call.includes('/inbox.db-wal>')) {
      const isSync = /^f(?:data)?sync\(/.test(call)
      if (isSync) turn.syncs++
      else turn.writes++
      turn.isUnsynced = !isSync
    }
  }
  return turns
}

function isAcceptance(call: string): boolean {
  return call.includes('"250 2.0.0 Stored')
}

test(
  'the kernel is asked to sync each mail before its 250 is written to the socket',
  { timeout: 120_000 },
  async () => {
    const traceFile = join(temporaryFolder(), 'trace')
    // -D: the tracer is the child, so that the process we start is the server itself.
    const launcher = ['strace', '-D', '-f', '-y', '-s', '32', '-e', CALLS, '-o', traceFile]
    // Without an API to announce to, storing mail is the only reason to write to the inbox.
    const server = await startChild({ program: 'worker', environment: { DATA_DIR: temporaryFolder() }, launcher })
    const client = await SmtpClient.connect(server.smtpPort)
    for (let number = 0; number < MAILS; number++) {
      const raw = randomMail(`m${number}`, randomSize(MAIL_BYTES))
      expect(await client.send({ to: `qa+m${number}@in.test`, raw })).toMatch(/^250 /)
    }
    client.close()
    expect(await server.stop()).toBe(0)

    const turns = readTurns(readFileSync(traceFile, 'utf8'))
    expect(turns).toHaveLength(MAILS)
    expect(turns.filter(({ writes, syncs, isUnsynced }) => writes === 0 || syncs === 0 || isUnsynced)).toEqual([])
  },
)

test('control: a trace in which the 250 comes before the sync is detected', () => {
  const wal = '7</data/inbox.db-wal>'
  const accept = '10 write(20<socket:[1]>, "250 2.0.0 Stored\\r\\n", 18) = 18'
  const write = `10 pwrite64(${wal}, "x", 4096, 0) = 4096`
  const sync = `10 fdatasync(${wal}) = 0`
  expect(readTurns([write, sync, accept].join('\n'))).toEqual([{ writes: 1, syncs: 1, isUnsynced: false }])
  expect(readTurns([write, accept, sync].join('\n'))).toEqual([{ writes: 1, syncs: 0, isUnsynced: true }])
})
