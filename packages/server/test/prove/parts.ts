import type { Need } from './needs.ts'

export type Part = {
  /** Its file is `<name>.prove.ts`. */
  name: string
  title: string
  /** On two quiet cores, beside another part. A test compares it with the last run. */
  minutes: number
  /** How many proofs it has. With fewer, it fails. */
  proofs: number
  /** Test files of `npm test`, in packages/server/test/, that check the same in a short form. */
  shortForms: string[]
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
  { name: 'kill', title: 'Accepted mail survives kill -9', minutes: 22, proofs: 3, shortForms: ['crash/kill.test.ts'] },
  {
    name: 'power-cut',
    title: 'Accepted mail survives a power cut',
    minutes: 6,
    proofs: 3,
    shortForms: ['crash/acceptance-order.test.ts'],
    needs: ['Linux', 'permission to mount', 'a free loop device', 'mkfs.ext4', 'findmnt'],
  },
  {
    name: 'faults',
    title: 'Failing buckets and databases lose nothing',
    minutes: 9,
    proofs: 1,
    shortForms: ['crash/faults.test.ts', 'crash/failing-folder.test.ts'],
  },
  {
    name: 'full-disk',
    title: 'A full disk loses nothing',
    minutes: 2,
    proofs: 4,
    shortForms: ['crash/full-disk.test.ts', 'crash/full-disk-start.test.ts'],
    needs: ['Linux', 'permission to mount'],
  },
  {
    name: 'mails',
    title: 'Hostile mail is stored and blocks nothing',
    minutes: 11,
    proofs: 1,
    shortForms: ['hostile/mail-grammar.test.ts'],
    needs: ['Linux'],
  },
  {
    name: 'poison',
    title: 'Harmful mail is set aside, and other mail flows',
    minutes: 7,
    proofs: 2,
    shortForms: ['poison.test.ts', 'poison/stages.test.ts'],
    isAlone: true,
  },
  {
    name: 'requests',
    title: 'Hostile requests get the documented responses',
    minutes: 1,
    proofs: 1,
    shortForms: ['fuzz.test.ts'],
  },
  {
    name: 'smtp',
    title: 'Hostile SMTP dialogues inject nothing',
    minutes: 4,
    proofs: 2,
    shortForms: ['hostile/smtp-dialogues.test.ts'],
  },
  {
    name: 'connections',
    title: 'Slow and idle connections do not affect others',
    minutes: 11,
    proofs: 1,
    shortForms: ['held-downloads.test.ts'],
    needs: ['Linux'],
    isAlone: true,
  },
  {
    name: 'restarts',
    title: 'Rolling restarts lose nothing',
    minutes: 4,
    proofs: 1,
    shortForms: ['replicas/failures.test.ts'],
    isUnseeded: true,
    isAlone: true,
  },
  {
    name: 'access',
    title: 'Every route enforces its declared access',
    minutes: 5,
    proofs: 3,
    shortForms: ['openapi-keys.test.ts', 'procedures-roles.test.ts', 'access/other-routes.test.ts'],
  },
  {
    name: 'isolation',
    title: 'Mail cannot run scripts or load anything in the dashboard',
    minutes: 6,
    proofs: 1,
    shortForms: ['dashboard/isolation.test.ts'],
    needs: ['Chromium'],
  },
  {
    name: 'webhooks',
    title: 'Webhooks do not reach internal addresses',
    minutes: 1,
    proofs: 2,
    shortForms: ['hostile/hostile-urls.test.ts'],
    needs: ['Linux', 'network namespaces with unshare and ip'],
  },
  {
    name: 'backup',
    title: 'A backup under load is complete',
    minutes: 1,
    proofs: 2,
    shortForms: [],
  },
  {
    name: 'soak',
    title: 'Half an hour of load leaves memory and counters as they were',
    minutes: 72,
    proofs: 2,
    shortForms: [],
    needs: ['Linux'],
    isOnlyByName: true,
    isUnseeded: true,
    isAlone: true,
  },
  // Last, because it searches the logs of all others.
  {
    name: 'secrets',
    title: 'No secret is logged',
    minutes: 2,
    proofs: 1,
    shortForms: ['secrets/search-logs.test.ts'],
    isUnseeded: true,
    isAlone: true,
  },
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

type Length = (part: Part) => number

/** How long these parts take together: by their minutes, or by lengths in any unit. */
export function lengthOf(parts: Part[], length: Length = ({ minutes }) => minutes): number {
  const lanes = Array<number>(AT_ONCE).fill(0)
  const [alone, others] = [parts.filter(({ isAlone }) => isAlone), parts.filter(({ isAlone }) => !isAlone)]
  for (const part of others) lanes[lanes.indexOf(Math.min(...lanes))]! += length(part)
  return Math.max(...lanes) + alone.reduce((sum, part) => sum + length(part), 0)
}
