import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ChildServer } from './child-server.ts'

/** For `nodeArguments` of a child that is asked for its delays. */
export const WITH_DELAYS = ['--import', fileURLToPath(new URL('./loop-delay.ts', import.meta.url))]

/** How long the event loop of the child was held up at most since the last question. */
export async function largestDelayMs(server: ChildServer): Promise<number> {
  const answered = once(server.process, 'message')
  server.process.send('largest delay')
  const [{ largestMs }] = (await answered) as [{ largestMs: number }]
  return largestMs
}
