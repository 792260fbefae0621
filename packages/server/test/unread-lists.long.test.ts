import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { store } from './support/announce.ts'
import { API_KEY, startChild } from './support/child-server.ts'
import { isDisconnected } from './support/disconnected.ts'
import { runForJson } from './support/program.ts'
import { temporaryFolder } from './support/server.ts'

const MIB = 1024 * 1024
/** The maximum length of a subject, of characters that JSON writes as six. */
const LONGEST_SUBJECT = '\u0001'.repeat(8 * 1024)
const MESSAGES = 200
const SILENT = 80
const HELD_BYTES_MAX = 64 * MIB
/** Before the deadline of 30 checks, so that the limit applies. */
const SOON = { timeout: 25_000, interval: 250 }

test(`limit: ${SILENT} unread lists of the largest size of one key take 64 MiB, and others are served`, async () => {
  const dataDir = temporaryFolder()
  const child = await startChild({ environment: { DATA_DIR: dataDir } })
  const { apiUrl: url } = child
  for (let count = 0; count < MESSAGES; count++) await store(url, { subject: LONGEST_SUBJECT })
  const created = ['keys', 'create', '--team', (await me(url)).team.name, '--json']
  const { key: other } = await runForJson<{ key: string }>(created, { DATA_DIR: dataDir })
  const listBytes = (await list(url, API_KEY)).length
  expect(listBytes).toBeGreaterThan(9 * MIB)
  const before = residentMib(child.process.pid!)
  let most = before
  const watch = setInterval(() => (most = Math.max(most, residentMib(child.process.pid!))), 50)
  onTestFinished(() => clearInterval(watch))

  const silent = await Promise.all(Array.from({ length: SILENT }, () => neverRead(url)))
  // Both read: one with its own key, the other with the key of those that do not read.
  for (const key of [other, API_KEY]) expect((await list(url, key)).length).toBe(listBytes)
  await vi.waitFor(async () => {
    const hungUp = await Promise.all(silent.map(isDisconnected))
    const open = hungUp.filter((isOver) => !isOver).length
    expect(open * listBytes).toBeLessThanOrEqual(HELD_BYTES_MAX)
  }, SOON)
  // A figure, not a limit: responses in preparation and garbage are not bounded.
  console.info(`${SILENT} lists of ${listBytes} bytes: from ${before} to ${most} MiB`)
})

async function list(url: string, key: string): Promise<string> {
  const answer = await fetch(`${url}/v1/messages?limit=${MESSAGES}`, { headers: { authorization: `Bearer ${key}` } })
  expect(answer.status).toBe(200)
  return answer.text()
}

async function me(url: string): Promise<{ team: { name: string } }> {
  const answer = await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${API_KEY}` } })
  return ((await answer.json()) as { data: { team: { name: string } } }).data
}

async function neverRead(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause()
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const head = `GET /v1/messages?limit=${MESSAGES} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${API_KEY}`
  socket.write(`${head}\r\n\r\n`)
  return socket
}

function residentMib(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Math.round(Number(kib) / 1024)
}
