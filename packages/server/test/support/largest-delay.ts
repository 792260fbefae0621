import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ChildServer } from './child-server.ts'

/** For `nodeArguments` of a child that reports its delays. */
export const WITH_DELAYS = ['--import', fileURLToPath(new URL('./loop-delay.ts', import.meta.url))]

type Delays = { largestMs: number; largestWorkMs: number }

async function askForDelays(server: ChildServer): Promise<Delays> {
  const answered = once(server.process, 'message')
  server.process.send('largest delay')
  const [delays] = (await answered) as [Delays]
  return delays
}

/** The longest delay of the child's event loop since the last call. */
export async function largestDelayMs(server: ChildServer): Promise<number> {
  return (await askForDelays(server)).largestMs
}

/** The maximum processor time of one turn of its event loop since the last call. */
export async function largestWorkMs(server: ChildServer): Promise<number> {
  return (await askForDelays(server)).largestWorkMs
}
