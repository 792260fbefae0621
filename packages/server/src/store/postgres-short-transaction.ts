import type { Client } from 'pg'
import { setTimeout as pause } from 'node:timers/promises'
import { isLockConflict } from './postgres-errors.ts'

/**
 * Statements that wait for a lock make all later ones on the table wait too, so they give up early and try again. Mail can wait
 * longer than this: for several locks of a transaction one after another, for its statements, and again for the next attempt.
 */
const LOCK_MS_MAX = 200
const RETRY_MS = 250
/** Something holds a lock all the time, for example a backup. The next start continues. */
const ATTEMPTS_MAX = 2_400

/** Runs a transaction that gives up and tries again if it does not get a lock soon, so that others need not wait behind it. */
export async function inShortTransaction<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`begin; set local lock_timeout = ${LOCK_MS_MAX}`)
      const result = await work()
      await client.query('commit')
      return result
    } catch (error) {
      if (!isLockConflict(error) || attempt === ATTEMPTS_MAX) throw error
      await client.query('rollback')
      await pause(RETRY_MS * (0.5 + Math.random()))
    }
  }
}
