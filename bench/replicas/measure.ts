import { randomUUID } from 'node:crypto'
import type { Announcement } from '@mailhatch/sdk'
import { measureWakes, type WakeTimes } from '../../packages/server/test/replicas/wake-times.ts'
import { WEBHOOK_SECRET } from '../product.ts'
import { perSecond } from '../statistics.ts'
import { FRESH_DIGITS } from '../tasks/fresh-digits.ts'
import { getRequest, HttpClient } from '../tasks/http-client.ts'
import { runHttpLoad, type HttpLoadOptions } from '../tasks/http-load.ts'
import type { Fleet } from './fleet.ts'

/** In total, so that only the number of replicas differs. */
export const CONNECTIONS = 24

export type Figures = { intakeOneTeam: number; intakeTeams: number; latest: number }

export async function measureFleet(fleet: Fleet, sampleMs: number): Promise<Figures> {
  const [first] = fleet.domains
  const intakeOneTeam = await load(fleet, sampleMs, () => announcing(first!))
  const intakeTeams = await load(fleet, sampleMs, (number) => announcing(fleet.domains[number % fleet.domains.length]!))
  const latest = await load(fleet, sampleMs, () => ({
    request: getRequest('/v1/messages/latest?mailbox=load', fleet.key),
  }))
  return { intakeOneTeam, intakeTeams, latest }
}

type Load = Pick<HttpLoadOptions, 'request'>

/** Responses per second; each connection has its own request. */
export async function load(
  { ports }: Fleet,
  durationMs: number,
  requestOf: (connection: number) => Load,
): Promise<number> {
  const results = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, number) =>
      runHttpLoad({ ...requestOf(number), port: ports[number % ports.length]!, connections: 1, durationMs }),
    ),
  )
  return results.reduce((sum, { answers, elapsedMs }) => sum + perSecond(answers, elapsedMs), 0)
}

/** Holds a wait on the first replica and announces its mail to the last one. */
export async function measureWakesOf({ ports, key, domains }: Fleet, count: number): Promise<WakeTimes> {
  const holder = new HttpClient(ports[0]!, key)
  const other = new HttpClient(ports[0]!, key)
  const announcedTo = ports.at(-1)!
  try {
    return await measureWakes({
      count,
      hold: (tag) => holder.get(`/v1/messages/latest?tag=${tag}&wait=30`),
      isHeld: () => other.get('/v1/me'),
      announce: (tag) => announce(announcedTo, announcement(domains[0]!, { id: randomUUID(), tag })),
    })
  } finally {
    holder.close()
    other.close()
  }
}

export async function announce(port: number, announced: Announcement): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/webhooks/inbox`, {
    method: 'POST',
    headers: { authorization: `Bearer ${WEBHOOK_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify(announced),
  })
  if (response.status !== 200) throw new Error(`The announcement got status ${response.status}.`)
  await response.text()
}

export function announcing(domain: string): Load {
  const id = `${randomUUID().slice(0, -FRESH_DIGITS.length)}${FRESH_DIGITS}`
  const body = JSON.stringify(announcement(domain, { id, tag: 'signup' }))
  const request = [
    'POST /webhooks/inbox HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${WEBHOOK_SECRET}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
  return { request }
}

/** An announcement as the worker posts it for a mail of about 2 kB. */
export function announcement(
  domain: string,
  { id, tag, mailbox = 'load' }: { id: string; tag: string; mailbox?: string },
): Announcement {
  return {
    event: 'email.received',
    id,
    domain,
    tenantSubdomain: null,
    mailbox,
    mailboxWithTag: `${mailbox}+${tag}`,
    tag,
    from: 'no-reply@shop.test',
    to: `${mailbox}+${tag}@${domain}`,
    subject: '482913 is your confirmation code',
    receivedAt: new Date().toISOString(),
    headers: [
      { name: 'From', value: '"The Shop" <no-reply@shop.test>' },
      { name: 'Subject', value: '482913 is your confirmation code' },
    ],
    rawContent: `<p>Your confirmation code is <b>482913</b>.</p>${'<p>Free delivery above thirty euro.</p>'.repeat(20)}`,
    plainContent: 'Your confirmation code is 482913. Or follow https://shop.test/confirm?token=a81f5c',
    attachments: [],
    size: 2_000,
  }
}
