import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PEER_NAMES } from '../../src/compat/peers.ts'
import { startServer } from '../support/server.ts'
import { COMPARED_PEERS } from './compared-peers.ts'
import { labelOf, runWith } from './comparison.ts'
import { compareRuns, ruleFor, rulesOf, shown, type Difference, type NamedTest, type Rule } from './differences.ts'
import { readRecording } from './recordings.ts'

test('every API of another mail catcher is compared with it', () => {
  expect(new Set(COMPARED_PEERS.map(({ name }) => name))).toEqual(new Set(PEER_NAMES))
})

describe.each(COMPARED_PEERS.map((peer) => [labelOf(peer), peer] as const))('%s', (_, peer) => {
  const { name, intended } = peer
  const accepted = new Map<Rule, Difference>()

  test('the same mails and calls get what it answered, apart from the listed differences', async () => {
    const { compatUrl: url, smtpPort } = await startServer({ COMPAT: name, COMPAT_PORT: '0' })
    const { calls, run } = readRecording(peer)
    expect(calls).toEqual(peer.calls(peer.recorded))
    const ours = await runWith(peer, { url, smtpPort }, { mails: peer.recorded.mails, calls })
    const others: Difference[] = []
    for (const found of compareRuns(calls, run, ours)) {
      const rule = ruleFor(intended, found)
      if (rule) accepted.set(rule, accepted.get(rule) ?? found)
      else others.push(found)
    }
    expect(others.map(shown)).toEqual([])
  })

  // One that nothing needs would hide a later mistake.
  test('each listed difference is found', () => {
    expect(rulesOf(intended).filter((one) => !accepted.has(one))).toEqual([])
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
    expect(ruleFor(intended, found!)).toBeUndefined()
  })

  test('each test that shows a difference exists', () => {
    const named = intended.flatMap(({ shownBy }) => (Array.isArray(shownBy) ? [] : [shownBy]))
    const isThere = ({ file, test }: NamedTest) =>
      readFileSync(join(import.meta.dirname, '../..', file), 'utf8').includes(`'${test}'`)
    expect(named.filter((one) => !isThere(one))).toEqual([])
  })
})
