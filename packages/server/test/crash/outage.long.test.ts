import { expect, test } from 'vitest'
import { MAILS, RECOVERY_MS_MAX, surviveOutage } from './api-outage.ts'

/** After the fifth attempt, the next one for the same mail is a minute later. */
const ATTEMPTS_UNTIL_RARE = 5

test(
  'after an outage so long that each mail is retried only once a minute, all mail appears within 10 s',
  { timeout: 4 * RECOVERY_MS_MAX },
  async () => {
    const recoveryMs = await surviveOutage({ end: 'kill', attemptsMin: ATTEMPTS_UNTIL_RARE })
    console.info(`${MAILS} mails were announced ${Math.round(recoveryMs)} ms after the API was back`)
    expect(recoveryMs).toBeLessThan(10_000)
  },
)

test(
  'mail that arrives after the API was stopped is accepted, waits, and appears once it is back',
  { timeout: 2 * RECOVERY_MS_MAX },
  async () => {
    expect(await surviveOutage({ end: 'stop', attemptsMin: 0 })).toBeLessThan(RECOVERY_MS_MAX)
  },
)
