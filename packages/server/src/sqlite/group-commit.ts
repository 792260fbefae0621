import type { DatabaseSync } from 'node:sqlite'

/** More jobs than this wait for the next commit, so that one commit does not hold the event loop for long. */
const JOBS_PER_COMMIT = 128

type Job = {
  work: () => unknown
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

export type GroupCommit = {
  /** Resolves when what `work` did is on the disk. `work` may await, but only things that are already there. */
  write<Result>(work: () => Result | Promise<Result>): Promise<Result>
  /** Resolves when nothing is waiting to be written. */
  idle(): Promise<void>
}

/** One commit, and so one wait for the disk, for everything that asked during a turn of the event loop. */
export function createGroupCommit(connection: DatabaseSync): GroupCommit {
  const begin = connection.prepare('begin immediate')
  const savepoint = connection.prepare('savepoint job')
  const undoJob = connection.prepare('rollback to job')
  const release = connection.prepare('release job')
  const commit = connection.prepare('commit')
  const rollback = connection.prepare('rollback')
  const waiting: Job[] = []
  let committing: Promise<void> | null = null

  async function commitWaiting(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    const jobs = waiting.splice(0, JOBS_PER_COMMIT)
    const settlements: (() => void)[] = []
    try {
      begin.run()
      for (const job of jobs) settlements.push(await runJob(job))
      commit.run()
    } catch (error) {
      // Some errors, a full disk among them, have already rolled everything back.
      if (connection.isTransaction) rollback.run()
      for (const job of jobs) job.reject(error)
      return
    }
    for (const settle of settlements) settle()
  }

  /** A job that fails is undone alone; an error that ended the whole transaction is thrown on. */
  async function runJob({ work, resolve, reject }: Job): Promise<() => void> {
    savepoint.run()
    try {
      const outcome = work()
      const result = outcome instanceof Promise ? await outcome : outcome
      release.run()
      return () => resolve(result)
    } catch (error) {
      if (!connection.isTransaction) throw error
      undoJob.run()
      release.run()
      return () => reject(error)
    }
  }

  async function commitUntilIdle(): Promise<void> {
    while (waiting.length > 0) await commitWaiting()
    committing = null
  }

  return {
    write<Result>(work: () => Result | Promise<Result>): Promise<Result> {
      return new Promise<Result>((resolve, reject) => {
        // The queue holds results of many types; each job's resolve belongs to its own work.
        waiting.push({ work, resolve: resolve as (result: unknown) => void, reject })
        committing ??= commitUntilIdle()
      })
    },
    async idle() {
      await committing
    },
  }
}
