import type { AttemptHistory } from '../../src/worker/announce-stored.ts'

/** For a worker that has just started on an empty bucket, while no other mail is accepted. */
export const FIRST_ATTEMPTS: AttemptHistory = {
  by: 'worker',
  startedAt: 0,
  wasCutOff: true,
  isFromEarlierRun: () => false,
  isAlone: () => true,
  noteFailure: () => ({ wasTaken: false, taken: 0, healed: 0, failing: 0 }),
}

/** The response of our API to mail without a team. */
export const UNROUTED = JSON.stringify({ error: 'Mailbox not configured', code: 'mailbox_unknown' })
