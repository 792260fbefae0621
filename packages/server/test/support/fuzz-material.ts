import { onTestFinished } from 'vitest'
import { store } from './announce.ts'
import { ask, reader } from './ask.ts'
import { API_KEY, type ChildServer } from './child-server.ts'
import { FUZZ_MAILBOXES } from './fuzz-body.ts'
import type { FuzzIds, FuzzMaterial } from './fuzz-request.ts'
import { callerOf, openPeople } from './people.ts'
import { runForJson } from './program.ts'
import { WEBHOOK_SECRET } from './server.ts'
import { isAccepted, SmtpClient } from './smtp-client.ts'

/** Nothing listens there, so that deliveries fail. A server has to allow it. */
export const FUZZ_SETTINGS = { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:1' }
const HOOK = { url: 'http://127.0.0.1:1/hook' }
const DOMAIN = 'mailhatch.test'
const MESSAGES = 60
/** Of these, with raw bytes and an attachment: half, so that requests for an attachment often find one. */
const MAILS = 30
const WEBHOOKS = 5
const SCENARIOS = 5

type Served = Pick<ChildServer, 'apiUrl' | 'smtpPort'>

/** Keys of all kinds, sessions of two teams, and something of everything that has an id. */
export async function prepareFuzz(server: Served, dataDir: string): Promise<FuzzMaterial> {
  const { apiUrl: url } = server
  const makeKey = async (scope: string) => {
    const words = ['keys', 'create', '--scope', scope, '--json']
    return (await runForJson<{ key: string }>(words, { DATA_DIR: dataDir })).key
  }
  const keys = { rotatingKey: await makeKey('api.full'), readingKey: await makeKey('email.full') }
  // The commands above need to be told the team once there are two.
  const people = await openPeople({ url, dataDir }, onTestFinished)
  const { owner } = await people.newTeam()
  const { headers } = await people.operator()
  return {
    key: API_KEY,
    ...keys,
    secret: WEBHOOK_SECRET,
    // Most calls are by the team whose ids they have.
    sessions: [headers, headers, owner.headers],
    ids: await makeIds(server, headers),
  }
}

/** New messages, mailboxes and keys, and webhooks where there are too few. */
export async function makeIds(
  { apiUrl: url, smtpPort }: Served,
  session: { cookie: string; origin: string },
): Promise<FuzzIds> {
  const call = callerOf(url, session)
  // Requests may have changed it.
  await call.inbox.settings.update.mutate({ domain: DOMAIN })
  const headers = { 'content-type': 'application/json' }
  const add = (path: string, body: object) =>
    ask(`${url}${path}`, { method: 'POST', key: API_KEY, headers, body: JSON.stringify(body) })
  for (let count = (await call.webhooks.list.query()).length; count < WEBHOOKS; count++) await add('/v1/webhooks', HOOK)
  // Each replaces the one of its address.
  for (let number = 0; number < SCENARIOS; number++) {
    await add('/v1/scenarios', { to: `scripted-${number}@${DOMAIN}`, steps: [{ do: 'reject', code: 451 }] })
  }
  for (let number = MAILS; number < MESSAGES; number++)
    await store(url, { mailbox: `fuzz-${number % FUZZ_MAILBOXES}`, tag: 't' })
  await sendMails(smtpPort)
  const { data } = await reader(url, API_KEY).list({ limit: MESSAGES })
  const webhooks = (await call.webhooks.list.query()).map(({ id }) => id)
  const deliveries = await Promise.all(webhooks.map((id) => call.webhooks.deliveries.query({ id })))
  await call.apiKeys.create.mutate({ name: 'fuzz', scope: 'email.full' })
  const keys = (await call.apiKeys.list.query()).filter(({ name }) => name === 'fuzz')
  return {
    team: (await call.team.current.query())!.id,
    messages: data.map(({ id }) => id),
    mailboxes: [...new Set(data.map(({ mailboxId }) => mailboxId))],
    webhooks,
    deliveries: deliveries.flat().map(({ id }) => id),
    keys: keys.map(({ id }) => id),
    scenarios: (await call.scenarios.list.query()).scenarios.map(({ id }) => id),
  }
}

async function sendMails(smtpPort: number): Promise<void> {
  const raw = Buffer.from(
    'From: a@shop.example\r\nSubject: Receipt\r\nContent-Type: text/csv; name=receipt.csv\r\n' +
      'Content-Disposition: attachment; filename=receipt.csv\r\n\r\n1,2\r\n',
  )
  const client = await SmtpClient.connect(smtpPort)
  for (let number = 0; number < MAILS; number++) {
    const reply = await client.send({ to: `fuzz-${number % FUZZ_MAILBOXES}+t@${DOMAIN}`, raw })
    if (!isAccepted(reply)) throw new Error(`A mail was refused: ${reply}`)
  }
  client.close()
}
