import type { Need } from './needs.ts'

export type Part = {
  /** Its file is `<name>.prove.ts`. */
  name: string
  title: string
  /** On two quiet cores. */
  minutes: number
  /** Besides Node. Where one is missing, the page says so. */
  needs?: Need[]
  /** Takes so long that it only runs when it is named. */
  isOnlyByName?: true
  /** Draws nothing from the seed of the run. */
  isUnseeded?: true
}

/** The parts of `npm run prove`, in the order in which they run. */
export const PARTS: Part[] = [
  { name: 'kill', title: 'Accepted mail survives kill -9', minutes: 6 },
  {
    name: 'power-cut',
    title: 'Accepted mail survives a power cut',
    minutes: 5,
    needs: ['Linux', 'permission to mount', 'a free loop device', 'mkfs.ext4', 'findmnt'],
  },
  { name: 'faults', title: 'Failing buckets and databases lose nothing', minutes: 5 },
  { name: 'full-disk', title: 'A full disk loses nothing', minutes: 2, needs: ['Linux', 'permission to mount'] },
  { name: 'mails', title: 'Hostile mail is stored and blocks nothing', minutes: 5, needs: ['Linux'] },
  { name: 'poison', title: 'Harmful mail is set aside and blocks nothing', minutes: 5, isOnlyByName: true },
  { name: 'requests', title: 'Hostile requests get the documented answers', minutes: 1 },
  { name: 'smtp', title: 'Hostile SMTP dialogues inject nothing', minutes: 8 },
  { name: 'connections', title: 'Slow and idle connections do not affect others', minutes: 6, needs: ['Linux'] },
  { name: 'restarts', title: 'Rolling restarts lose nothing', minutes: 6, isUnseeded: true },
  { name: 'access', title: 'Every route enforces its declared access', minutes: 2 },
  {
    name: 'isolation',
    title: 'Mail cannot run scripts or load anything in the dashboard',
    minutes: 7,
    needs: ['Chromium'],
  },
  {
    name: 'webhooks',
    title: 'Webhooks do not reach internal addresses',
    minutes: 1,
    needs: ['Linux', 'network namespaces with unshare and ip'],
  },
  { name: 'backup', title: 'A backup under load is complete', minutes: 1 },
  { name: 'secrets', title: 'No secret is logged', minutes: 5, isUnseeded: true },
  {
    name: 'soak',
    title: 'Half an hour of load changes nothing',
    minutes: 73,
    needs: ['Linux'],
    isOnlyByName: true,
    isUnseeded: true,
  },
]
