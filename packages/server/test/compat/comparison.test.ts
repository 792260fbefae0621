import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PEER_NAMES } from '../../src/compat/peers.ts'
import { startServer } from '../support/server.ts'
import { COMPARED_PEERS } from './compared-peers.ts'
import { answersOf, compareAnswers, intentionOf, labelOf, readRecording } from './comparison.ts'

const PEERS = COMPARED_PEERS.map((peer) => [labelOf(peer), peer] as const)

test('every API of another mail catcher is compared with it', () => {
  expect(new Set(COMPARED_PEERS.map(({ name }) => name))).toEqual(new Set(PEER_NAMES))
})

test.each(PEERS)(
  'the same mails and calls get what %s answered, apart from the listed differences',
  async (_, peer) => {
    const { compatUrl: url, smtpPort } = await startServer({ COMPAT: peer.name, COMPAT_PORT: '0' })
    const recorded = readRecording(peer)
    const calls = recorded.map(({ call }) => call)
    expect(calls).toEqual(peer.calls(peer.recorded))
    const ours = await answersOf(peer, { url, smtpPort }, { mails: peer.recorded.mails, calls })
    const differences = compareAnswers(
      calls,
      recorded.map(({ answer }) => answer),
      ours,
    )
    expect(differences.filter((one) => !intentionOf(peer.intended, one))).toEqual([])
    // An entry that nothing needs would hide a later mistake.
    const used = new Set(differences.map((one) => intentionOf(peer.intended, one)))
    expect(peer.intended.filter((one) => !used.has(one))).toEqual([])
  },
)

test.each(PEERS)('the comparison with %s can fail', (_, { intended }) => {
  const answer = (total: number) => [{ status: 200, body: { total } }]
  const [found] = compareAnswers([{ method: 'GET', path: '/x' }], answer(3), answer(4))
  expect(found).toMatchObject({ path: 'GET /x.body.total', peer: 3, ours: 4 })
  expect(intentionOf(intended, found!)).toBeUndefined()
})

test.each(PEERS)('the documentation explains each difference from %s', (_, { name, intended }) => {
  const page = readFileSync(join(import.meta.dirname, `../../../../docs/guide/${name}-api.md`), 'utf8')
  expect(intended.map(({ why }) => why).filter((why) => !page.includes(why))).toEqual([])
})
