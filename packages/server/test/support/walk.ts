import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WebhookDelivery, WebhookEndpoint } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { afterAll, expect, vi } from 'vitest'
import { announcement, post } from './announce.ts'
import { ask, reader, type Answer } from './ask.ts'
import { expectDocumented, type Described } from './documented.ts'
import { madeSecretsIn } from './made-secrets.ts'
import { makeTeam, makeTeamKey } from './made-team.ts'
import { serveIn, WEBHOOK_SECRET } from './server.ts'
import { serverEvents } from './server-events.ts'

const SET_ASIDE = {
  id: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
  from: 'app@shop.example',
  to: 'qa@mailhatch.test',
  reason: 'It fails.',
}

const ATTEMPT = {
  to: 'qa@unknown.example',
  from: 'app@shop.example',
  startedAt: 0,
  endedAt: 0,
  outcome: 'refused',
  stage: 'rcpt',
  replies: [{ stage: 'rcpt', code: 451, text: 'Not now' }],
  size: 0,
  tls: null,
  authenticated: false,
  helo: null,
  remoteAddress: null,
  connection: 'c1',
  messageId: null,
}

/** A request for an operation, without the key. */
export type Call = { method: string; path: string; body?: string; headers?: Record<string, string> }

export type KeyKind = 'full' | 'emailFull' | 'bound' | 'orphan' | 'expired' | 'foreign'

/** The mailbox of the bound key, and another one of the same team. */
export const OWN = 'mine'
export const OTHER = 'theirs'
/** The URL of an endpoint that stays. */
export const KEPT_ENDPOINT_URL = 'http://127.0.0.1:9/kept'
/** The name of the deleted mailbox. */
const GONE = 'gone'

/** A server with a key of each kind, and requests for every documented operation. Call it at the top level of a file. */
export async function startWalk(given: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mailhatch-'))
  const running = await serveIn(dataDir, { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', ...given })
  const transport = createTransport({ host: '127.0.0.1', port: running.smtpPort! })
  afterAll(async () => {
    transport.close()
    await running.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${running.apiPort}`
  const { apiKey } = running.firstStart!
  const owner = reader(url, apiKey)
  const environment = { DATA_DIR: dataDir }
  let count = 0

  /** Sends a mail with an attachment, as an app would. Resolves to the id of its message. */
  async function newMessage(mailbox: string): Promise<string> {
    const tag = `t${(count += 1)}`
    await transport.sendMail({
      from: 'sender@shop.example',
      to: `${mailbox}+${tag}@mailhatch.test`,
      subject: 'Your code is 123456',
      text: 'Your code is 123456: https://shop.example/confirm',
      attachments: [{ filename: 'note.txt', content: 'A note' }],
    })
    return (await owner.latest({ mailbox, tag, wait: 30 })).data.id
  }

  async function create<Data>(path: string, value: object): Promise<Data> {
    const call = { method: 'POST', key: apiKey, ...json(value) }
    const { status, body } = await ask<{ data: Data }>(url + path, call)
    expect(status).toBe(201)
    return body.data
  }

  async function newMailbox(name = `box-${(count += 1)}`): Promise<string> {
    return (await create<{ id: string }>('/v1/mailboxes', { name })).id
  }

  /** Nothing listens at this address. */
  const newEndpointUrl = () => `http://127.0.0.1:9/${(count += 1)}`

  async function newEndpoint(): Promise<string> {
    await removeEndpoints()
    return (await create<{ endpoint: WebhookEndpoint }>('/v1/webhooks', { url: newEndpointUrl() })).endpoint.id
  }

  /** For a new one, because their number is limited. */
  async function removeEndpoints(): Promise<void> {
    const { data } = (await owner.get<{ data: WebhookEndpoint[] }>('/v1/webhooks')).body
    for (const { id } of data.filter((one) => one.url !== KEPT_ENDPOINT_URL)) {
      await ask(`${url}/v1/webhooks/${id}`, { method: 'DELETE', key: apiKey })
    }
  }

  async function firstDelivery(endpointId: string): Promise<string> {
    const { body } = await owner.get<{ data: WebhookDelivery[] }>(`/v1/webhooks/${endpointId}/deliveries`)
    return body.data[0]!.id
  }

  /** What an operation needs to succeed with the full key, for this mailbox if it has one. */
  async function callFor({ method, path, operation }: Described, mailbox = OWN): Promise<Call> {
    const filled = path.startsWith('/v1/webhooks/')
      ? await webhookPath(path, mailbox)
      : path.replace('{id}', await idFor(path, mailbox)).replace('{index}', '0')
    expect(filled, 'a parameter that the walk does not know').not.toContain('{')
    if (operation.operationId === 'createWebhook') await removeEndpoints()
    if (operation.operationId === 'listAttempts') {
      await newMessage(mailbox)
      return { method: 'GET', path: `${path}?to=${mailbox}` }
    }
    const takesMailbox = operation.parameters.some(({ name }) => name === 'mailbox')
    const call: Call = { method: method.toUpperCase(), path: takesMailbox ? `${filled}?mailbox=${mailbox}` : filled }
    return operation.requestBody ? { ...call, ...json(bodyFor(operation.operationId)) } : call
  }

  async function idFor(path: string, mailbox: string): Promise<string> {
    if (path.startsWith('/v1/mailboxes/')) return newMailbox()
    return path.startsWith('/v1/scenarios/') ? newScenario() : newMessage(mailbox)
  }

  async function newScenario(): Promise<string> {
    return (await create<{ scenario: { id: string } }>('/v1/scenarios', scenarioBody())).scenario.id
  }

  const scenarioBody = () => ({ to: `${OWN}+${(count += 1)}@mailhatch.test`, steps: [{ do: 'accept' }], expiresIn: 60 })

  /** For an endpoint that received a message. */
  async function webhookPath(path: string, mailbox: string): Promise<string> {
    const id = await newEndpoint()
    await newMessage(mailbox)
    return path.replace('{id}', id).replace('{deliveryId}', await firstDelivery(id))
  }

  function bodyFor(operationId: string): unknown {
    if (operationId === 'announceMail') return announcement()
    if (operationId === 'reportSetAside') return SET_ASIDE
    if (operationId === 'createScenario') return scenarioBody()
    if (operationId === 'listScripts') return { version: null }
    if (operationId === 'reportAttempts') return { id: SET_ASIDE.id, attempts: [ATTEMPT] }
    if (operationId === 'takeScriptStep') return { teamId, id: SET_ASIDE.id }
    // It leaves at once: one that stays and does not answer would have to be waited for.
    if (operationId === 'pollQuestions') return { worker: 'walk', holdMs: 0, answers: [], isLeaving: true }
    if (operationId === 'createWebhook') return { url: newEndpointUrl() }
    if (operationId === 'updateWebhook') return { description: `text ${(count += 1)}` }
    expect(['createMailbox', 'renameMailbox'], 'a body that the walk does not know').toContain(operationId)
    return { name: `name-${(count += 1)}` }
  }

  const { id: teamId, name: team } = (await owner.me()).team
  await Promise.all([newMailbox(OWN), newMailbox(OTHER)])
  await create('/v1/webhooks', { url: KEPT_ENDPOINT_URL })
  const goneId = await newMailbox(GONE)
  const lastHour = Date.now() - 3_600_000
  const [full, emailFull, bound, orphan, expired, foreign] = await Promise.all([
    makeTeamKey(environment, team),
    makeTeamKey(environment, team, { scope: 'email.full' }),
    makeTeamKey(environment, team, { mailbox: OWN }),
    makeTeamKey(environment, team, { mailbox: GONE }),
    makeTeamKey(environment, team, { expiresAt: lastHour }),
    makeTeam(environment, { name: 'Foreign', domain: 'foreign.test', plan: 'pro' }),
  ])
  expect((await ask(`${url}/v1/mailboxes/${goneId}`, { method: 'DELETE', key: apiKey })).status).toBe(200)
  const refused = announcement({ domain: 'nobody.example' })
  expect((await post(url, refused)).body.code).toBe('inbox_domain_unknown')
  // Rejections are written a moment later.
  await vi.waitFor(
    async () => expect((await owner.get<{ data: [] }>('/v1/rejections')).body.data).toHaveLength(1),
    10_000,
  )
  const keys: Record<KeyKind, string> = { full, emailFull, bound, orphan, expired, foreign }

  return {
    url,
    team: { id: teamId, name: team },
    environment,
    callFor,
    keys,
    /** The credentials with which the operation succeeds. */
    credentialsFor: ({ operation }: Described) =>
      operation.security.some((scheme) => 'webhookSecret' in scheme) ? WEBHOOK_SECRET : keys.full,
  }
}

/** Makes the call, reads the available response, and checks it against the document. */
export async function make(url: string, call: Call, credentials: string | null): Promise<Answer<unknown>> {
  const { method, path, body, headers = {} } = call
  const authorization: Record<string, string> = credentials === null ? {} : { authorization: `Bearer ${credentials}` }
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, ...authorization },
    ...(body === undefined ? {} : { body }),
  })
  const answer = { status: response.status, headers: response.headers, body: await contentOf(response) }
  madeSecretsIn(JSON.stringify(answer.body))
  expectDocumented(method, url + path, answer)
  return answer
}

export function json(value: unknown): Pick<Call, 'body' | 'headers'> {
  return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }
}

/** JSON as a value, the first event of a stream, everything else as text. */
async function contentOf(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('application/json')) return response.json()
  if (!type.startsWith('text/event-stream')) return response.text()
  // Leaving the loop ends the stream.
  for await (const event of serverEvents(response.body!)) return event
  return null
}
