import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ChildServer } from './child-server.ts'

/** For `nodeArguments` of a child that reports its delays: only those of its main thread, so not with `preload`. */
export const WITH_DELAYS = ['--import', fileURLToPath(new URL('./loop-delay.ts', import.meta.url))]

/** The maximum processor time of one turn of the child's event loop since the last call. */
export async function largestWorkMs(server: ChildServer): Promise<number> {
  const answered = once(server.process, 'message')
  server.process.send('longest work')
  const [{ largestWorkMs }] = (await answered) as [{ largestWorkMs: number }]
  return largestWorkMs
}
