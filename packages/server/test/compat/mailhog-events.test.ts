import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { inGroups } from '../../src/domain/in-groups.ts'
import { makeTeamKey } from '../support/made-team.ts'
import { startServer } from '../support/server.ts'

const MAILS_FOR_SLOW = 60
const MIB = 1024 * 1024

type Event = { ID: string; Content: { Headers: Record<string, string[]>; Body: string; Size: number } }
type Listening = { events: Event[]; closed: Promise<unknown>; pause(): void; resume(): void }
type Listen = (door: string, headers?: Record<string, string>) => Promise<Listening>

const webSocket: Listen = async (door, headers = {}) => {
  const socket = new WebSocket(`${door.replace('http', 'ws')}/api/v2/websocket`, { headers })
  const events: Event[] = []
  socket.on('message', (text: Buffer) => events.push(JSON.parse(text.toString()) as Event))
  const closed = once(socket, 'close')
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  return { events, closed, pause: () => socket.pause(), resume: () => socket.resume() }
}

const eventStream: Listen = async (door, headers = {}) => {
  const sent = request(`${door}/api/v1/events`, { headers, agent: false }).end()
  onTestFinished(() => void sent.destroy())
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  expect(response.headers['content-type']).toBe('text/event-stream')
  expect(response.headers['cross-origin-resource-policy']).toBe('same-origin')
  const events: Event[] = []
  let rest = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    const frames = (rest + text).split('\n\n')
    rest = frames.pop()!
    // Between events, signs of life are sent.
    const data = frames.filter((frame) => frame.startsWith('data: '))
    events.push(...data.map((frame) => JSON.parse(frame.replace(/^data: /, '')) as Event))
  })
  response.on('error', () => {})
  const closed = new Promise((resolve) => response.once('close', resolve))
  return { events, closed, pause: () => response.pause(), resume: () => response.resume() }
}

const KINDS: [string, Listen][] = [
  ['the WebSocket', webSocket],
  ['the event stream', eventStream],
]

async function start() {
  const server = await startServer({ COMPAT: 'mailhog', COMPAT_PORT: '0' })
  return { ...server, keyed: `${server.url}/compat/mailhog` }
}

test.each(KINDS)('%s gets each new message, as the API shows it', async (_, listen) => {
  const { compatUrl, sendMail } = await start()
  await sendMail({ to: 'anna@shop.example', subject: 'Before', text: 'Hello' })
  const get = async (path: string) => (await fetch(`${compatUrl}/api/v1/messages${path}`)).json()
  await expect.poll(() => get('')).toHaveLength(1)
  const { events } = await listen(compatUrl)
  await sendMail({ to: 'anna@shop.example', subject: 'First', text: 'Grüße\n\n\u2028', html: '<p>two</p>' })
  await expect.poll(() => events).toHaveLength(1)
  expect(events[0]!.Content.Headers['Subject']).toEqual(['First'])
  expect(events[0]).toEqual(await get(`/${events[0]!.ID}`))
  await fetch(`${compatUrl}/api/v1/messages`, { method: 'DELETE' })
  await sendMail({ to: 'ben@shop.example', subject: 'Large', text: 'x '.repeat(MIB) })
  await expect.poll(() => events).toHaveLength(2)
  expect(events[1]).toMatchObject({ Content: { Body: '' }, MIME: null, Raw: { Data: '', To: ['ben@shop.example'] } })
  expect(events[1]!.Content.Size).toBeGreaterThan(2 * MIB)
})

test.each(KINDS)('a key that is bound to a mailbox sees only its messages on %s, until it ends', async (_, listen) => {
  const { keyed, dataDir, apiKey, url, sdk, sendMail } = await start()
  await sendMail({ to: 'alpha@mailhatch.test', subject: 'Before', text: 'Hello' })
  await expect.poll(async () => (await sdk.messages.list({})).data).toHaveLength(1)
  const { team } = await sdk.me()
  const alphaKey = await makeTeamKey({ DATA_DIR: dataDir }, team.name, { mailbox: 'alpha' })
  const [alpha, all] = await Promise.all(
    [alphaKey, apiKey].map((key) => listen(keyed, { authorization: `Bearer ${key}` })),
  )
  for (const name of ['beta', 'alpha']) {
    await sendMail({ to: `${name}@mailhatch.test`, subject: `For ${name}`, text: 'Hello' })
  }
  await expect.poll(() => all!.events).toHaveLength(2)
  await expect.poll(() => alpha!.events).toHaveLength(1)
  expect(alpha!.events[0]!.Content.Headers['Subject']).toEqual(['For alpha'])
  const rotated = await fetch(`${url}/v1/api-keys/rotate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
  })
  expect(rotated.status).toBe(200)
  await all!.closed
  await sendMail({ to: 'alpha@mailhatch.test', subject: 'Later', text: 'Hello' })
  await expect.poll(() => alpha!.events).toHaveLength(2)
})

test.each(KINDS)(
  'a client of %s that does not read is cut, others miss nothing, and a stop ends them',
  async (_, listen) => {
    const { compatUrl, sendMail, close } = await start()
    const [slow, other] = [await listen(compatUrl), await listen(compatUrl)]
    slow.pause()
    // About 1.4 MB in each event, and more in all than the system buffers for a connection and the limit.
    const text = 'slow '.repeat(100_000)
    const mails = Array.from({ length: MAILS_FOR_SLOW }, (_, index) => index)
    await inGroups(mails, 5, (number) => sendMail({ to: 'anna@shop.example', subject: `${number}`, text }))
    await expect.poll(() => other.events).toHaveLength(MAILS_FOR_SLOW)
    slow.resume()
    await slow.closed
    expect(slow.events.length).toBeLessThan(MAILS_FOR_SLOW)
    await close()
    await other.closed
  },
)
