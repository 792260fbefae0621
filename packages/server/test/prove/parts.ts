import type { Need } from './needs.ts'

export type Part = {
  /** Its file is `<name>.prove.ts`. */
  name: string
  title: string
  /** On two quiet cores, beside another part. */
  minutes: number
  /** Besides Node. Where one is missing, the page says so. */
  needs?: Need[]
  /** Takes so long that it only runs when it is named. */
  isOnlyByName?: true
  /** Draws nothing from the seed of the run. */
  isUnseeded?: true
  /** Not beside another part: it measures how long something takes, or looks at what all others have left. */
  isAlone?: true
}

/** Parts that run at once: most of their time is spent waiting. */
const AT_ONCE = 2

/** The parts of `npm run prove`, in the order in which they run. */
export const PARTS: Part[] = [
  { name: 'kill', title: 'Accepted mail survives kill -9', minutes: 14 },
  {
    name: 'power-cut',
    title: 'Accepted mail survives a power cut',
    minutes: 8,
    needs: ['Linux', 'permission to mount', 'a free loop device', 'mkfs.ext4', 'findmnt'],
  },
  { name: 'faults', title: 'Failing buckets and databases lose nothing', minutes: 10 },
  { name: 'full-disk', title: 'A full disk loses nothing', minutes: 2, needs: ['Linux', 'permission to mount'] },
  { name: 'mails', title: 'Hostile mail is stored and blocks nothing', minutes: 8, needs: ['Linux'] },
  { name: 'poison', title: 'Harmful mail is set aside and blocks nothing', minutes: 10, isAlone: true },
  { name: 'requests', title: 'Hostile requests get the documented responses', minutes: 2 },
  { name: 'smtp', title: 'Hostile SMTP dialogues inject nothing', minutes: 5 },
  {
    name: 'connections',
    title: 'Slow and idle connections do not affect others',
    minutes: 8,
    needs: ['Linux'],
    isAlone: true,
  },
  { name: 'restarts', title: 'Rolling restarts lose nothing', minutes: 5, isUnseeded: true, isAlone: true },
  { name: 'access', title: 'Every route enforces its declared access', minutes: 2 },
  {
    name: 'isolation',
    title: 'Mail cannot run scripts or load anything in the dashboard',
    minutes: 9,
    needs: ['Chromium'],
  },
  {
    name: 'webhooks',
    title: 'Webhooks do not reach internal addresses',
    minutes: 2,
    needs: ['Linux', 'network namespaces with unshare and ip'],
  },
  { name: 'backup', title: 'A backup under load is complete', minutes: 3 },
  {
    name: 'soak',
    title: 'Half an hour of load changes nothing',
    minutes: 73,
    needs: ['Linux'],
    isOnlyByName: true,
    isUnseeded: true,
    isAlone: true,
  },
  // Last, because it searches the logs of all others.
  { name: 'secrets', title: 'No secret is logged', minutes: 3, isUnseeded: true, isAlone: true },
]

/** Runs the parts in order, some at once. */
export async function inLanes(parts: Part[], work: (part: Part) => Promise<void>): Promise<void> {
  const waiting = parts.filter(({ isAlone }) => !isAlone)
  async function lane(): Promise<void> {
    for (let part = waiting.shift(); part; part = waiting.shift()) await work(part)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  for (const part of parts) if (part.isAlone) await work(part)
}

/** How long these parts take together. */
export function minutesFor(parts: Part[]): number {
  const lanes = Array<number>(AT_ONCE).fill(0)
  for (const { minutes, isAlone } of parts) if (!isAlone) lanes[lanes.indexOf(Math.min(...lanes))]! += minutes
  return Math.max(...lanes) + parts.reduce((sum, { minutes, isAlone }) => sum + (isAlone ? minutes : 0), 0)
}
