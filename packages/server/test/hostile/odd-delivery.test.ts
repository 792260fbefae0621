import { setTimeout as delay } from 'node:timers/promises'
import { Mailhatch } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { API_KEY, startChild } from '../support/child-server.ts'
import { largestDelayMs, WITH_DELAYS } from '../support/largest-delay.ts'
import { mailWith, PLACES, type Place } from '../support/odd-mail.ts'
import { repeatedTo } from '../support/odd-texts.ts'
import { temporaryFolder } from '../support/server.ts'
import { SmtpClient, withLineEnd } from '../support/smtp-client.ts'

/** Not noticeable for a person, or three times the delay of an idle server if that is more. */
const STALL_MS_MAX = 200
const STALL_FACTOR_MAX = 3
const IDLE_MS = 500
/** Other programs delay the server too, so the best attempt counts. */
const TRIES = 3

const UNITS = ['\u0301\u0316', '\u05b0\u05c1\u05b0', '\ufdfa']
/** This blocked the event loop for up to a minute. As a line of DATA it is within the limit. */
const TEXT_BYTES = 440_000
/** A header has 64 KiB. */
const HEADER_BYTES = 60_000

test('mail with many combining characters is stored, found and shown, and other requests are served meanwhile', async () => {
  const server = await startChild({ environment: { DATA_DIR: temporaryFolder() }, nodeArguments: WITH_DELAYS })
  const sdk = new Mailhatch({ url: server.apiUrl, apiKey: API_KEY })
  const [odd, plain] = [await SmtpClient.connect(server.smtpPort), await SmtpClient.connect(server.smtpPort)]
  let sent = 0

  async function deliver(client: SmtpClient, raw: Uint8Array) {
    const tag = `t${sent++}`
    expect(await client.send({ to: `qa+${tag}@mailhatch.test`, raw: withLineEnd(raw) })).toMatch(/^250 /)
    return sdk.messages.waitFor({ tag })
  }

  async function deliverBoth(unit: string, place: Place): Promise<void> {
    const text = repeatedTo(place === 'text' ? TEXT_BYTES : HEADER_BYTES, { name: place, unit })
    const [, ordinary] = await Promise.all([
      deliver(odd, mailWith(text, place)),
      deliver(plain, Buffer.from('Subject: Your code is 482913\r\n\r\nHello\r\n')),
    ])
    expect(ordinary.codes).toMatchObject([{ value: '482913' }])
  }

  await deliver(plain, Buffer.from('Subject: first\r\n\r\nhello\r\n'))
  await largestDelayMs(server)
  await delay(IDLE_MS)
  const allowedMs = Math.max(STALL_MS_MAX, STALL_FACTOR_MAX * (await largestDelayMs(server)))

  const stalls: { unit: string; place: Place; stallMs: number }[] = []
  for (const unit of UNITS) {
    for (const place of PLACES) {
      let stallMs = Infinity
      for (let attempt = 0; attempt < TRIES && stallMs > allowedMs; attempt++) {
        await deliverBoth(unit, place)
        stallMs = Math.min(stallMs, await largestDelayMs(server))
      }
      stalls.push({ unit, place, stallMs: Math.round(stallMs) })
    }
  }
  stalls.sort((a, b) => b.stallMs - a.stallMs)
  console.info(`${sent} mails, allowed ${Math.round(allowedMs)} ms, the longest hold-ups:`, stalls.slice(0, 3))
  expect(stalls.filter(({ stallMs }) => stallMs > allowedMs)).toEqual([])

  // A filter is folded like the text. The positive control is the last mail's own text.
  const found = await sdk.messages.list({ subject: '\ufdfa'.repeat(20) })
  expect(found.data.length).toBeGreaterThan(0)
  expect(await sdk.messages.list({ subject: `${'\ufdfa'.repeat(20)}x` })).toMatchObject({ data: [] })

  odd.close()
  plain.close()
  expect(await server.stop()).toBe(0)
})
