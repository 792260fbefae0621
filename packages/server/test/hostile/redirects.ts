import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSafeRequest } from '../../src/notify/safe-request.ts'
import { parseAllowedHosts } from '../../src/notify/webhook-url.ts'

export type Redirected = { to: string; status: number | null; heard: string[]; heardWhenFollowed: string[] }

const STATUSES = [301, 302, 303, 307, 308]

/** The redirecting receiver may be contacted, its target may not. A client that follows reaches the canary. */
export async function followRedirects(targets: string[], heardSoFar: () => Promise<string[]>): Promise<Redirected[]> {
  const redirector = createServer((incoming, outgoing) => {
    const target = new URL(incoming.url!, 'http://redirector').searchParams
    outgoing.writeHead(Number(target.get('status')), { location: target.get('to')! }).end()
  })
  redirector.listen(0, '127.0.0.1')
  await once(redirector, 'listening')
  // A TCP server has an AddressInfo.
  const { port } = redirector.address() as AddressInfo
  const request = createSafeRequest({ allowedHosts: parseAllowedHosts(`127.0.0.1:${port}`) })
  const all: Redirected[] = []
  for (const to of targets) {
    for (const status of STATUSES) {
      const url = `http://127.0.0.1:${port}/?${new URLSearchParams({ to, status: String(status) })}`
      const outcome = await request(url, { headers: {}, body: '{}' })
      const heard = await heardSoFar()
      await fetch(url, { method: 'POST', body: '{}' }).catch(() => null)
      const answer = outcome.kind === 'responded' ? outcome.status : null
      all.push({ to, status: answer, heard, heardWhenFollowed: await heardSoFar() })
    }
  }
  return all
}
