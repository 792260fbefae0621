import { expect, test } from 'vitest'
import { listEverything } from '../support/stored-mail.ts'
import { MAILS, RECOVERY_MS_MAX, startApart, surviveOutage } from './api-outage.ts'

// An API that was stopped is in outage.long.test.ts.
test('mail that arrives after the API was killed is accepted, waits, and appears once it is back', async () => {
  const recoveryMs = await surviveOutage({ end: 'kill', attemptsMin: 0 })
  console.info(`${MAILS} mails were announced ${Math.round(recoveryMs)} ms after the API was back`)
  expect(recoveryMs).toBeLessThan(RECOVERY_MS_MAX)
})

test('mail without a team is not announced again when a team gets the domain, mail that did not reach the API is', async () => {
  const { startApi, createTeam, waitingMail, send } = await startApart()
  const api = await startApi()
  expect(await send('box+unwanted@later.test')).toMatch(/^250 /)
  const statuses = () => waitingMail().map(({ tag, attempts, lastStatus }) => ({ tag, attempts, lastStatus }))
  const refused = { tag: 'unwanted', attempts: 1, lastStatus: 404 }
  await expect.poll(statuses, { timeout: RECOVERY_MS_MAX }).toEqual([refused])

  const late = await createTeam('Late', 'later.test')
  await api.kill()
  expect(await send('box+unheard@later.test')).toMatch(/^250 /)
  await startApi()
  await expect.poll(statuses, { timeout: RECOVERY_MS_MAX }).toEqual([refused])
  expect((await listEverything(late)).map(({ tag }) => tag)).toEqual(['unheard'])
})
