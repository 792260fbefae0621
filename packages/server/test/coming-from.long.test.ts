import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from './support/free-port.ts'
import { startForImport } from './support/import-commands.ts'
import { installFromNpm } from './support/mail-libraries.ts'
import { REPOSITORY } from './support/markdown.ts'
import { codeBlocks, runExample } from './support/run-example.ts'
import { startServer, temporaryFolder } from './support/server.ts'

const INSTALL_MS_MAX = 10 * 60_000
const pageOf = (tool: string) => readFileSync(join(REPOSITORY, `docs/guide/coming-from-${tool}.md`), 'utf8')

/** The versions that the pages name. With MailDev's own choice of mailparser, a dependency is missing from the registry. */
const FORMER_TOOLS = {
  private: true,
  dependencies: { maildev: '3.0.0', mailosaur: '11.1.1' },
  overrides: { mailparser: '3.9.0' },
}

let folder: string
beforeAll(async () => {
  folder = temporaryFolder(afterAll)
  writeFileSync(join(folder, 'package.json'), JSON.stringify(FORMER_TOOLS))
  await installFromNpm(folder, [])
}, INSTALL_MS_MAX)

const MAIL = {
  from: 'app@shop.example',
  to: 'anna@shop.example',
  subject: 'Verify: welcome',
  text: 'Your code is 482913.',
  attachments: [{ filename: 'terms.txt', content: 'Be nice.' }],
}

/** The parts of MailDev that its example uses. */
type MailDev = {
  start(): Promise<{ smtp: { on(name: 'new', listener: (mail: Caught) => void): void } }>
  stop(): Promise<void>
}
type Caught = { id: string; subject: string; attachments: { generatedFileName: string }[] }

/** MailDev on free ports: its own may be in use. */
async function prepareMailDev(options: { mailDirectory?: string } = {}) {
  const entry = pathToFileURL(join(folder, 'node_modules/maildev/dist/index.js')).href
  const { MailDev } = (await import(entry)) as { MailDev: new (ports: object) => MailDev }
  const ports = { smtp: await freePort(), web: await freePort() }
  const OnFreePorts = class extends MailDev {
    constructor() {
      super({ ...ports, ...options })
      onTestFinished(() => this.stop())
    }
  }
  const transport = createTransport({ host: '127.0.0.1', port: ports.smtp })
  return {
    OnFreePorts,
    url: `http://127.0.0.1:${ports.web}`,
    signUp: (to: string) => transport.sendMail({ ...MAIL, to }),
  }
}

test('the example for MailDev runs with MailDev', async () => {
  const { OnFreePorts, signUp } = await prepareMailDev()
  const [example, ...others] = codeBlocks(pageOf('maildev'), 'js')
  expect(others).toEqual([])
  const seen: Caught[] = []
  await runExample(`${example}\nsee(mail)`, { MailDev: OnFreePorts, signUp, see: (mail: Caught) => seen.push(mail) })
  expect(seen.map(({ subject }) => subject)).toEqual([MAIL.subject])
})

test('each request to MailDev on its page is answered', async () => {
  const { OnFreePorts, url, signUp } = await prepareMailDev()
  const { smtp } = await new OnFreePorts().start()
  const arrived = new Promise<Caught>((resolve) => smtp.on('new', resolve))
  await signUp(MAIL.to)
  const { id, attachments } = await arrived
  const theirs = { id, generatedFileName: attachments[0]!.generatedFileName }
  const requests = requestsOf(pageOf('maildev'), 0)
  expect(requests.length).toBeGreaterThan(7)
  expect(await statusesOf(url, requests, theirs)).toEqual(requests.map((request) => [request, 200]))
  // Control: another path has another answer.
  expect(await statusesOf(url, ['GET /api/nonsense'], theirs)).toEqual([['GET /api/nonsense', 404]])
})

test('the folder of MailDev can be imported byte for byte', async () => {
  const { folder: own, importInto, sdk } = await startForImport({ INBOX_CATCH_ALL: 'bootstrap' })
  const mailDirectory = join(own, 'maildev')
  const { OnFreePorts, url, signUp } = await prepareMailDev({ mailDirectory })
  const { smtp } = await new OnFreePorts().start()
  const arrived = new Promise<Caught>((resolve) => smtp.on('new', resolve))
  await signUp(MAIL.to)
  const { id } = await arrived
  const source = Buffer.from(await (await fetch(`${url}/api/email/${id}/source`)).arrayBuffer())
  expect(await importInto('maildev')).toMatchObject({ code: 0, imported: 1, failed: 0 })
  const found = await sdk.messages.waitFor({ mailbox: MAIL.to, subject: MAIL.subject })
  expect(Buffer.from(await sdk.messages.raw(found.id))).toEqual(source)
  expect(await importInto('maildev --from maildev')).toMatchObject({ code: 0, imported: 0, duplicates: 1 })
})

test.each(['mailpit', 'mailhog', 'maildev'])(
  'each request to Mailhatch on the page for %s is answered',
  async (tool) => {
    const { url, apiKey, sdk, sendMail } = await startServer({ INBOX_CATCH_ALL: 'bootstrap' })
    await sendMail(MAIL)
    const { id } = await sdk.messages.waitFor({ to: MAIL.to })
    const { cursor } = await sdk.me()
    await sendMail(MAIL)
    // A stream has no end, and endpoints have tests with their body.
    const requests = requestsOf(pageOf(tool), 1).filter((request) => !/stream|webhooks/.test(request))
    expect(requests.length).toBeGreaterThan(4)
    const headers = { authorization: `Bearer ${apiKey}` }
    expect(await statusesOf(url, requests, { id, index: '0', cursor }, headers)).toEqual(
      requests.map((request) => [request, 200]),
    )
  },
)

test("the example for Mailosaur runs with Mailosaur's library, and its page names functions that the library has", async () => {
  const Client = createRequire(join(folder, 'package.json'))('mailosaur') as new (key: string) => Record<string, object>
  const mailosaur = new Client('key')
  const page = pageOf('mailosaur')
  const named = Array.from(page.matchAll(/^\| .*?`(messages|files)\.(\w+)\(/gm), ([, group, name]) => [group!, name!])
  expect(named.length).toBeGreaterThan(4)
  for (const [group, name] of named) expect(mailosaur[group!], `${group}.${name}`).toHaveProperty(name!)

  const requests: string[] = []
  mailosaur['request'] = standIn(requests)
  const [example, ...others] = codeBlocks(page, 'js')
  expect(others).toEqual([])
  const entered: string[] = []
  await runExample(example!, {
    mailosaur,
    serverId: 'abcd1234',
    serverDomain: 'abcd1234.mailosaur.net',
    signUp: async () => {},
    enter: (code: string) => entered.push(code),
  })
  expect(entered).toEqual(['482913'])
  expect(requests).toEqual(['POST api/messages/search', 'GET api/messages/1'])
})

/** Answers the library's requests in place of the service, which is not used. */
function standIn(requests: string[]) {
  type Answered = (error: null, response: object, body: object) => void
  const summary = { id: '1', subject: MAIL.subject }
  const answer = (text: string, body: object, done: Answered) => {
    requests.push(text)
    done(null, { statusCode: 200, headers: {}, body }, body)
  }
  return {
    post: (path: string, _: object, done: Answered) => answer(`POST ${path}`, { items: [summary] }, done),
    get: (path: string, _: object, done: Answered) =>
      answer(`GET ${path}`, { ...summary, html: { codes: [{ value: '482913' }] } }, done),
  }
}

/** The requests in a column of the tables, as `GET /path`. */
function requestsOf(page: string, column: number): string[] {
  const cells = page.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.split(' | ')[column]!] : []))
  return cells.flatMap((cell) =>
    Array.from(cell.matchAll(/`((?:GET|DELETE|POST) \/[^`]*)`/g), ([, request]) => request!),
  )
}

async function statusesOf(
  url: string,
  requests: string[],
  values: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<[string, number][]> {
  const statuses: [string, number][] = []
  // What deletes comes last.
  const ordered = requests.toSorted(
    (one, other) => Number(one.startsWith('DELETE')) - Number(other.startsWith('DELETE')),
  )
  for (const request of ordered) {
    const [method, path] = request.split(' ') as [string, string]
    const target = path
      .replaceAll(/:(\w+)|<(\w+)>|\{(\w+)\}/g, (_, one, two, three) => values[one ?? two ?? three]!)
      .replaceAll('…', 'anna')
    const { status, body } = await fetch(url + target, { method, headers })
    statuses.push([request, status])
    // A stream has no end.
    await body?.cancel()
  }
  return statuses.toSorted(([one], [other]) => requests.indexOf(one) - requests.indexOf(other))
}
