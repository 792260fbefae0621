import { createTransport } from 'nodemailer'
import { vi } from 'vitest'
import { openDoors } from '../../src/compat/doors.ts'
import type { DoorPorts } from '../../src/compat/door.ts'
import type { PeerName } from '../../src/compat/peers.ts'
import { startFileServer } from '../support/file-server.ts'
import { makeTeamKey } from '../support/made-team.ts'
import { openPeople } from '../support/people.ts'
import { ADMIN_TOKEN } from '../support/admin-subject.ts'
import { DOOR_CASES, type CallSubject, type DoorRow } from './door-cases.ts'
import { namesIds, type IdRequest } from './id-probe.ts'
import { openWebSocket } from './open-web-socket.ts'
import { openCallers, type OtherCaller } from './other-matrix.ts'
import { answering, type Registered } from './other-routes.ts'

/** On a busy machine. */
const STORED_MS_MAX = 60_000
const OTHER_MAILBOX = 'a key of another mailbox'

const SEEING = ['an api.full key', 'an email.full key', 'a key of a mailbox'] as const
const OUTSIDE = ['a key of another team', OTHER_MAILBOX] as const
const NOT_KEYS = [
  'no credentials',
  'an unknown key',
  'a malformed key',
  'a revoked key',
  'an expired key',
  'the webhook secret',
  'the admin token',
] as const
/** Cookies are not read. Browsers add the `Origin` of our API to them, which the port refuses with 403 as another site. */
const SESSIONS = ['an owner', 'an owner of another team', 'the operator'] as const

export const DOOR_CALLERS = [...SEEING, ...OUTSIDE, ...NOT_KEYS, ...SESSIONS, 'a key of a deleted mailbox'] as const
export type DoorCaller = (typeof DOOR_CALLERS)[number]

/** Below our API, or on a port of its own, where callers without a key see the first team, which is not ours. */
const ENTRIES = ['API', 'port'] as const
export type DoorCell = { entry: (typeof ENTRIES)[number]; name: string; caller: DoorCaller; expected: number }

function expectedFor(row: DoorRow, entry: DoorCell['entry'], caller: DoorCaller): number {
  const { status = 200, isForEveryone, reader = status, outsider = status } = row
  if (isForEveryone) return status
  if (caller === 'a key of another team') return outsider
  if (caller === OTHER_MAILBOX) return reader === status ? outsider : reader
  if (caller === 'an api.full key') return status
  if (is(SEEING, caller)) return reader
  if (caller === 'a key of a deleted mailbox') return 403
  if (is(SESSIONS, caller)) return entry === 'port' ? 403 : 401
  return caller === 'no credentials' && entry === 'port' ? outsider : 401
}

/** The routes of a door, without middleware. No request is made, so its ports need no more than what creating it reads. */
export function doorRoutes(name: PeerName): Registered[] {
  const ports = { site: { appUrl: 'http://localhost', allowedOrigins: [] }, observe: {}, messages: {}, now: Date.now }
  const doors = openDoors(name, ports as unknown as DoorPorts)
  doors.close()
  return answering(doors.routes)
}

/** A server with a door and all these callers. Call it at the top level of a file. */
export async function startDoorMatrix(peer: PeerName) {
  const { idOf, fileOf = () => '0', rows } = DOOR_CASES[peer]
  const server = await startFileServer({ COMPAT: peer, COMPAT_PORT: '0', ADMIN_TOKEN, RATE_LIMIT: 'off' })
  const people = await openPeople(server)
  const ours = await people.newTeam()
  const { create } = ours.owner.call.inbox.mailboxes
  const { domain } = await create.mutate({ name: 'files' })
  await create.mutate({ name: 'elsewhere' })
  const headersOfOthers = await openCallers({ server, people, ours })
  const elsewhere = await makeTeamKey({ DATA_DIR: server.dataDir }, ours.team.name, { mailbox: 'elsewhere' })
  const urls = { API: `${server.url}/compat/${peer}`, port: server.compatUrl }
  const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
  const { messages } = ours.owner.call.inbox
  let made = 0

  async function headersOf(caller: DoorCaller): Promise<Record<string, string>> {
    return caller === OTHER_MAILBOX
      ? { authorization: `Bearer ${elsewhere}` }
      : headersOfOthers(caller satisfies OtherCaller)
  }

  /** A message of its own, so that one that is marked or deleted disturbs no other call. */
  async function newSubject(): Promise<CallSubject> {
    const word = `word${++made}x`
    const address = `files+${word}@${domain}`
    const attachments = [{ filename: 'note.txt', content: word }]
    await transport.sendMail({ from: 'app@shop.example', to: address, subject: word, html: `<p>${word}`, attachments })
    const found = await vi.waitUntil(async () => (await messages.list.query({ q: word })).messages[0], {
      timeout: STORED_MS_MAX,
    })
    return { id: idOf(found.id), word, address }
  }
  let shared = await newSubject()

  /** Routes that name the message by its id, called by a key of another team. Ids are also taken as we write them. */
  async function idRequests(): Promise<IdRequest[]> {
    const { messages: found } = await messages.list.query({ q: shared.word })
    const subject = { ...shared, id: found[0]!.id }
    const headers = await headersOf('a key of another team')
    return Object.entries(rows).flatMap(([name, row]) => {
      const [method = '', path = ''] = name.split(' ')
      const body = row.body && JSON.stringify(row.body(subject))
      const request = { name: `${peer} ${name}`, method, path: `/compat/${peer}${pathFor(path, subject)}`, headers }
      return namesIds(request.path + (body ?? '')) ? [body === undefined ? request : { ...request, body }] : []
    })
  }

  function pathFor(path: string, subject: CallSubject): string {
    return path
      .replace(/:id|:file$/, subject.id)
      .replace(/:part|:filename/, fileOf(subject))
      .replace(':tag', subject.word)
  }

  async function stateOf({ word }: CallSubject): Promise<string> {
    const { messages: found } = await messages.list.query({ q: word })
    return JSON.stringify([found.map(({ id, isRead }) => [id, isRead]), peer === 'mailpit' && (await tagsOf(word))])
  }

  /** Only Mailpit's API shows tags that were set. */
  async function tagsOf(word: string): Promise<string[]> {
    const headers = await headersOf('an api.full key')
    const response = await fetch(`${urls.API}/api/v1/search?query=subject:${word}`, { headers })
    const { tags } = (await response.json()) as { tags: string[] }
    return tags
  }

  async function check({ entry, name, caller, expected }: DoorCell): Promise<object | null> {
    const row = rows[name]!
    const [method = '', path = ''] = name.split(' ')
    const subject = row.isChanging ? await newSubject() : shared
    const before = row.isChanging ? await stateOf(subject) : ''
    const filled = pathFor(path, subject)
    if (method === 'WebSocket') return checkWebSocket({ entry, caller, expected }, filled)
    const response = await fetch(`${urls[entry]}${filled}?${row.query?.(subject) ?? ''}`, {
      method,
      redirect: 'manual',
      headers: await headersOf(caller),
      ...(row.body && { body: JSON.stringify(row.body(subject)) }),
    })
    const isEndless = row.isStream === true && response.ok
    if (isEndless) await response.body!.cancel()
    const body = isEndless ? '' : await response.text()
    const text = `${body} ${response.headers.get('location')}`
    const shows = text.includes(subject.word) || (!row.isEchoing && text.includes(subject.id))
    const changes = row.isChanging === true && (await stateOf(subject)) !== before
    const mayDo = response.status === expected && is(SEEING, caller) && expected < 400
    const isRight =
      response.status === expected &&
      (mayDo ? shows || !row.isShowing : !shows) &&
      (row.type === undefined || (response.headers.get('content-type') === row.type) === mayDo) &&
      changes === (mayDo && row.isChanging === true)
    if (row.isEmptying) shared = await newSubject()
    return isRight ? null : { status: response.status, shows, changes }
  }

  /** Whether it opens, and what it then shows of a message that comes. */
  async function checkWebSocket(
    { entry, caller, expected }: Omit<DoorCell, 'name'>,
    path: string,
  ): Promise<object | null> {
    const sees = is(SEEING, caller)
    const socket = openWebSocket(urls[entry] + path, await headersOf(caller))
    const status = await socket.status
    // For a caller who sees nothing: when another one has seen the message, this one would have.
    const control = status === 101 && !sees ? openWebSocket(urls[entry] + path, await headersOf(SEEING[0])) : socket
    try {
      if (status !== 101) return status === expected ? null : { status }
      await control.status
      const { word } = await newSubject()
      await vi.waitUntil(() => control.text().includes(word), { timeout: STORED_MS_MAX })
      await socket.answered()
      const shows = socket.text().includes(word)
      return status === expected && shows === sees ? null : { status, shows }
    } finally {
      socket.close()
      control.close()
    }
  }

  function cellsFor(callers: readonly DoorCaller[], entries: readonly DoorCell['entry'][] = ENTRIES): DoorCell[] {
    return entries.flatMap((entry) =>
      Object.entries(rows).flatMap(([name, row]) =>
        callers.map((caller) => ({ entry, name, caller, expected: expectedFor(row, entry, caller) })),
      ),
    )
  }

  return { url: server.url, team: ours.team, peer, rows, cellsFor, check, idRequests }
}

function is<Caller extends string>(callers: readonly Caller[], caller: string): caller is Caller {
  return (callers as readonly string[]).includes(caller)
}
