import { runBareBucket } from './bare-bucket.ts'
import { startBareHttp } from './bare-http.ts'
import { measureFirstMails } from './first-mails.ts'
import { runHttpLoad } from './http-load.ts'
import { measureLatency } from './latency.ts'
import { runSmtpLoad } from './smtp-load.ts'
import { measureWaiters } from './waiters.ts'

// The program of a task process: receives the name and options of a task and sends back the result.

const TASKS = {
  runSmtpLoad,
  runHttpLoad,
  measureFirstMails,
  measureLatency,
  measureWaiters,
  runBareBucket,
  startBareHttp,
}

export type TaskName = keyof typeof TASKS
export type TaskOptions<Name extends TaskName> = Parameters<(typeof TASKS)[Name]>[0]
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<(typeof TASKS)[Name]>>
export type TaskReply<Name extends TaskName> = { result: TaskResult<Name> } | { error: string }

process.on('message', ({ name, options }: { name: TaskName; options: unknown }) => {
  // The types of the sender ensure that name and options match.
  const task = TASKS[name] as (options: unknown) => Promise<unknown>
  task(options).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  )
})
// The parent process has exited.
process.on('disconnect', () => process.exit())
