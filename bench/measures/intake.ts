import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Announcement } from '@mailhatch/sdk'
import { SETTLE_MS, type Bench } from '../bench.ts'
import { startProduct, WEBHOOK_SECRET } from '../product.ts'
import { MAILHATCH } from '../results.ts'
import { perSecond } from '../statistics.ts'
import { FRESH_DIGITS } from '../tasks/fresh-digits.ts'

const CONNECTIONS = 16

/** Announcements per second. Each stores a new message durably before the response. */
export async function measureIntake({ folder, generator, plan, results }: Bench): Promise<void> {
  const product = await startProduct(folder)
  const load = (durationMs: number) =>
    generator.run('runHttpLoad', {
      port: product.apiPort,
      request: announcementRequest(),
      connections: CONNECTIONS,
      durationMs,
    })
  await load(plan.warmUpMs)
  for (let round = 1; round <= plan.rounds; round++) {
    console.log(`intake, round ${round} of ${plan.rounds}`)
    const before = await product.countMessages()
    const { answers, elapsedMs } = await load(plan.sampleMs)
    await product.untilReadable(before + answers)
    const scenario = `POST /webhooks/inbox, ${CONNECTIONS} keep-alive connections`
    results.add({ measure: 'intake', scenario, subject: MAILHATCH, unit: 'POST/s' }, perSecond(answers, elapsedMs))
    await sleep(SETTLE_MS)
  }
  await product.stop()
}

/** An announcement as the worker posts it for a mail of about 2 kB. */
function announcementRequest(): string {
  const announcement: Announcement = {
    event: 'email.received',
    id: `${randomUUID().slice(0, -FRESH_DIGITS.length)}${FRESH_DIGITS}`,
    domain: 'mailhatch.test',
    tenantSubdomain: null,
    mailbox: 'load',
    mailboxWithTag: 'load+signup',
    tag: 'signup',
    from: 'no-reply@shop.test',
    to: 'load+signup@mailhatch.test',
    subject: '482913 is your confirmation code',
    receivedAt: new Date().toISOString(),
    headers: [
      { name: 'From', value: '"The Shop" <no-reply@shop.test>' },
      { name: 'To', value: 'load+signup@mailhatch.test' },
      { name: 'Subject', value: '482913 is your confirmation code' },
      { name: 'Message-ID', value: '<20261102090000.7f3a9c21@shop.test>' },
    ],
    rawContent: `<p>Your confirmation code is <b>482913</b>.</p>${'<p>Free delivery above thirty euro.</p>'.repeat(20)}`,
    plainContent: 'Your confirmation code is 482913. Or follow https://shop.test/confirm?token=a81f5c',
    attachments: [],
    size: 2_000,
  }
  const body = JSON.stringify(announcement)
  return [
    'POST /webhooks/inbox HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${WEBHOOK_SECRET}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
