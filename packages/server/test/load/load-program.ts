import { startLoad, type LoadOptions } from './load.ts'
import type { LoadReply } from './load-process.ts'

// The program of the load process: starts the load, and reports when it is told to stop.

type Message = { start: LoadOptions } | { stop: true }

let load: Awaited<ReturnType<typeof startLoad>> | null = null

async function handle(message: Message): Promise<LoadReply> {
  if ('start' in message) {
    load = await startLoad(message.start)
    return { started: true }
  }
  return { report: await load!.stop() }
}

process.on('message', (message: Message) => {
  handle(message).then(
    (reply) => process.send!(reply),
    (error: unknown) => process.send!({ error: String(error) }),
  )
})
// The test has ended.
process.on('disconnect', () => process.exit())
