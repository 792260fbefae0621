import type { DatabaseSync } from 'node:sqlite'

/** More jobs than this wait for the next commit, so that one commit does not hold the event loop for long. */
const JOBS_PER_COMMIT = 128

type Job = {
  work: () => unknown
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

export type GroupCommit = {
  /**
   * Resolves when what `work` did is on the disk. `work` may await, but only things that are already there; it is run
   * again when another job of its commit fails.
   */
  write<Result>(work: () => Result | Promise<Result>): Promise<Result>
  /** Resolves when nothing is waiting to be written. */
  idle(): Promise<void>
}

/** One commit, and so one wait for the disk, for everything that asked during a turn of the event loop. */
export function createGroupCommit(connection: DatabaseSync): GroupCommit {
  const begin = connection.prepare('begin immediate')
  const commit = connection.prepare('commit')
  const rollback = connection.prepare('rollback')
  const waiting: Job[] = []
  let committing: Promise<void> | null = null

  async function commitWaiting(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    let jobs = waiting.splice(0, JOBS_PER_COMMIT)
    while (jobs.length > 0) jobs = await commitTogether(jobs)
  }

  /** Commits all jobs, or none and returns those that did not fail: they are tried again without the one that did. */
  async function commitTogether(jobs: Job[]): Promise<Job[]> {
    const results: unknown[] = []
    try {
      begin.run()
      for (const { work } of jobs) {
        const outcome = work()
        results.push(outcome instanceof Promise ? await outcome : outcome)
      }
      commit.run()
    } catch (error) {
      // Some errors, a full disk among them, have already rolled everything back.
      if (connection.isTransaction) rollback.run()
      // With all results there, it was the commit that failed; then nobody can be singled out.
      const failed = jobs[results.length]
      for (const { reject } of failed ? [failed] : jobs) reject(error)
      return failed ? jobs.filter((job) => job !== failed) : []
    }
    jobs.forEach(({ resolve }, index) => resolve(results[index]))
    return []
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
