import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startServer } from '../support/server.ts'
import { callServer, RECORDED, sendAll, type ComparedAnswer } from './mailpit-answers.ts'
import { comparedCalls, type ComparedCall } from './mailpit-calls.ts'
import { differencesOf, INTENDED_DIFFERENCES, intentionOf } from './mailpit-differences.ts'
import { comparedMail } from './mailpit-mails.ts'

type Recorded = { call: ComparedCall; answer: ComparedAnswer }

function recordedAnswers(): Recorded[] {
  const lines = readFileSync(join(import.meta.dirname, 'mailpit-answers.jsonl'), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as Recorded)
}

test('the same mails and calls get what Mailpit answered, apart from the listed differences', async () => {
  const { compatUrl: url, smtpPort } = await startServer({ COMPAT: 'mailpit', COMPAT_PORT: '0' })
  const mails = Array.from({ length: RECORDED.mails }, (_, number) => comparedMail(number))
  const ids = await sendAll({ url, smtpPort }, mails)
  const recorded = recordedAnswers()
  expect(recorded.map(({ call }) => call)).toEqual(comparedCalls(RECORDED))
  const differences = []
  for (const { call, answer } of recorded) {
    const path = `${call.method} ${call.path.split('?')[0]}`
    differences.push(...differencesOf(`${call.method} ${call.path}`, answer, await callServer(url, call, ids), path))
  }
  expect(differences.filter((one) => !intentionOf(one))).toEqual([])
  // An entry that nothing needs would hide a later mistake.
  const used = new Set(differences.map(intentionOf))
  expect(INTENDED_DIFFERENCES.filter((one) => !used.has(one))).toEqual([])
})

test('the comparison can fail', () => {
  const [found] = differencesOf(
    'a call',
    { status: 200, body: { total: 3 } },
    { status: 200, body: { total: 4 } },
    'GET /x',
  )
  expect(found).toMatchObject({ path: 'GET /x.body.total', peer: 3, ours: 4 })
  expect(intentionOf(found!)).toBeUndefined()
})

test('the documentation explains each difference', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/guide/mailpit-api.md'), 'utf8')
  expect(INTENDED_DIFFERENCES.map(({ why }) => why).filter((why) => !page.includes(why))).toEqual([])
})
