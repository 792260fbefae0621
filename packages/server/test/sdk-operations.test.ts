import { accept, Mailhatch } from '@mailhatch/sdk'
import { describe, expect, test } from 'vitest'
import { describedOperations } from './support/documented.ts'

/** Operations without a method of the SDK, and why. */
const NOT_IN_THE_SDK: Record<string, string> = {
  announceMail: 'the inbox worker calls it, with a secret of its own',
  reportSetAside: 'the same',
  listScripts: 'the same',
  takeScriptStep: 'the same',
  reportAttempts: 'the same',
  pollQuestions: 'the same',
  getReference: 'a page for people to read',
}

/** How each operation of the document is called. */
const CALLS: Record<string, (sdk: Mailhatch) => unknown> = {
  listMessages: (sdk) => sdk.messages.list({ mailbox: 'qa' }),
  latestMessage: (sdk) => sdk.messages.latest({ mailbox: 'qa' }),
  countMessages: (sdk) => sdk.messages.count({ mailbox: 'qa' }),
  settledMessages: (sdk) => sdk.messages.settled({ mailbox: 'qa' }),
  streamMessages: (sdk) => sdk.messages.stream({ after: 'c0' }).next(),
  getMessage: (sdk) => sdk.messages.get('m1'),
  getRawMessage: (sdk) => sdk.messages.raw('m1'),
  getAttachment: (sdk) => sdk.messages.attachment('m1', 'cid:logo@shop.example'),
  deleteMessage: (sdk) => sdk.messages.delete('m1'),
  deleteMessages: (sdk) => sdk.messages.deleteMany({ mailbox: 'qa' }),
  listMailboxes: (sdk) => sdk.mailboxes.list({ mailbox: 'qa' }),
  createMailbox: (sdk) => sdk.mailboxes.create('qa'),
  renameMailbox: (sdk) => sdk.mailboxes.rename('b1', 'orders'),
  deleteMailbox: (sdk) => sdk.mailboxes.delete('b1'),
  listScenarios: (sdk) => sdk.scenarios.list(),
  createScenario: (sdk) => sdk.scenarios.create('qa@mailhatch.test', [accept()]),
  getScenario: (sdk) => sdk.scenarios.get('s1'),
  deleteScenario: (sdk) => sdk.scenarios.delete('s1'),
  listAttempts: (sdk) => sdk.attempts.list({ to: 'qa' }),
  listWebhooks: (sdk) => sdk.webhooks.list(),
  createWebhook: (sdk) => sdk.webhooks.create({ url: 'https://shop.example/hook' }),
  updateWebhook: (sdk) => sdk.webhooks.update('w1', { active: false }),
  deleteWebhook: (sdk) => sdk.webhooks.delete('w1'),
  testWebhook: (sdk) => sdk.webhooks.test('w1'),
  rotateWebhookSecret: (sdk) => sdk.webhooks.rotateSecret('w1'),
  listWebhookDeliveries: (sdk) => sdk.webhooks.deliveries('w1', { limit: 5, offset: 5, status: 'failed' }),
  replayWebhookDelivery: (sdk) => sdk.webhooks.replay('w1', 'd1'),
  replayFailedWebhookDeliveries: (sdk) => sdk.webhooks.replayFailed('w1'),
  getMe: (sdk) => sdk.me(),
  rotateApiKey: (sdk) => sdk.apiKeys.rotate(),
  listRejections: (sdk) => sdk.rejections.list({ limit: 5 }),
  getHealth: (sdk) => sdk.health(),
  getReadiness: (sdk) => sdk.ready(),
  getDocument: (sdk) => sdk.openapi(),
}

/** Method and path of the only request of a call. */
async function requestOf(call: (sdk: Mailhatch) => unknown): Promise<{ method: string; url: URL; body: unknown }> {
  const asked: { method: string; url: URL; body: unknown }[] = []
  const sdk = new Mailhatch({
    url: 'http://server.test',
    apiKey: 'key',
    async fetch(url, init) {
      // The SDK passes it as text.
      asked.push({ method: init!.method!.toLowerCase(), url: new URL(url as string), body: init!.body })
      return Response.json({ error: 'Seen enough', code: 'enough', requestId: '' }, { status: 418 })
    },
  })
  await expect(call(sdk)).rejects.toThrow('Seen enough')
  expect(asked).toHaveLength(1)
  return asked[0]!
}

const OPERATIONS = describedOperations.filter(({ operation }) => !(operation.operationId in NOT_IN_THE_SDK))

test('the table has exactly the operations of the document', () => {
  const described = OPERATIONS.map(({ operation }) => operation.operationId)
  expect(Object.keys(CALLS).sort(), 'add a call, or a reason to NOT_IN_THE_SDK').toEqual(described.sort())
})

describe('the SDK reaches', () => {
  test.each(OPERATIONS.map((described) => [described.operation.operationId, described] as const))(
    '%s',
    async (id, { method, path, operation }) => {
      const asked = await requestOf(CALLS[id]!)
      expect(asked.method).toBe(method)
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      expect(asked.url.pathname).toMatch(pattern)
      const known = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
      expect(known).toEqual(expect.arrayContaining([...asked.url.searchParams.keys()]))
      expect(asked.body !== null).toBe('requestBody' in operation)
    },
  )
})
