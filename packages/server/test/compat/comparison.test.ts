import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PEER_NAMES } from '../../src/compat/peers.ts'
import { startServer } from '../support/server.ts'
import { COMPARED_PEERS } from './compared-peers.ts'
import { labelOf, runWith } from './comparison.ts'
import { compareRuns, intentionOf, shown, type Difference, type IntendedDifference } from './differences.ts'
import { readRecording } from './recordings.ts'

test('every API of another mail catcher is compared with it', () => {
  expect(new Set(COMPARED_PEERS.map(({ name }) => name))).toEqual(new Set(PEER_NAMES))
})

describe.each(COMPARED_PEERS.map((peer) => [labelOf(peer), peer] as const))('%s', (_, peer) => {
  const { name, intended } = peer
  const accepted = new Map<IntendedDifference, Difference>()

  test('the same mails and calls get what it answered, apart from the listed differences', async () => {
    const { compatUrl: url, smtpPort } = await startServer({ COMPAT: name, COMPAT_PORT: '0' })
    const { calls, run } = readRecording(peer)
    expect(calls).toEqual(peer.calls(peer.recorded))
    const ours = await runWith(peer, { url, smtpPort }, { mails: peer.recorded.mails, calls })
    const others: Difference[] = []
    for (const found of compareRuns(calls, run, ours)) {
      const intention = intentionOf(intended, found)
      if (intention) accepted.set(intention, accepted.get(intention) ?? found)
      else others.push(found)
    }
    expect(others.map(shown)).toEqual([])
  })

  // One that nothing needs would hide a later mistake.
  test('each listed difference is found', () => {
    expect(intended.filter((one) => !accepted.has(one))).toEqual([])
  })

  test('each listed difference allows only what it says', () => {
    for (const [{ holds, rejects }, found] of accepted) {
      expect(holds({ ...found, ...rejects }), `${found.path}: ${JSON.stringify(rejects)}`).toBe(false)
    }
  })

  test('a value that differs for no listed reason is found', () => {
    const run = (total: number) => ({ began: 0, ended: 0, smtpPort: 1, answers: [{ status: 200, body: { total } }] })
    const [found] = compareRuns([{ method: 'GET', path: '/x' }], run(3), run(4))
    expect(found).toMatchObject({ path: 'GET /x.body.total', peer: 3, ours: 4 })
    expect(intentionOf(intended, found!)).toBeUndefined()
  })

  test('the documentation explains each listed difference', () => {
    const page = readFileSync(join(import.meta.dirname, `../../../../docs/guide/${name}-api.md`), 'utf8')
    expect(intended.map(({ why }) => why).filter((why) => !page.includes(why))).toEqual([])
  })
})
