// What a user does with the installed SDK, in plain JavaScript so that every Node can run it.
// node sdk-behaviour.mjs <import|require> <folder it is installed in> <url> <api key> <webhook secret>
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [way, folder, url, apiKey, secret] = process.argv.slice(2)

// A clock that is an hour behind: nothing may depend on it.
const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() - 3_600_000)
    else super(...given)
  }
  static now() {
    return RealDate.now() - 3_600_000
  }
}

const require = createRequire(pathToFileURL(`${folder}/here.js`))
const path = require.resolve('@mailhatch/sdk')
assert.match(path, /\/dist\/cjs\/index\.js$/)
const sdk = way === 'require' ? require(path) : await import(pathToFileURL(path.replace('/cjs/', '/')).href)
const { Mailhatch, MessageTimeoutError, NotFoundError, toResult } = sdk

async function announce(to, subject, plainContent = 'Hello') {
  const [localPart, domain] = to.split('@')
  const [mailbox, tag] = localPart.split('+')
  const body = {
    event: 'email.received',
    id: randomUUID(),
    domain,
    mailbox,
    mailboxWithTag: localPart,
    tag,
    from: 'app@shop.example',
    to,
    subject,
    receivedAt: new RealDate().toISOString(),
    headers: [],
    rawContent: '',
    plainContent,
  }
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/webhooks/inbox`, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.equal(answer.status, 200)
}

const mailhatch = new Mailhatch({ url, apiKey })
const inbox = await mailhatch.addresses.create({ prefix: 'node' })

await announce(inbox.address, 'Before', 'Your code is 482913.')
assert.equal((await inbox.waitFor({ subject: 'before' })).code(), '482913')

const waits = [
  inbox.waitFor({ subject: /^During$/ }),
  mailhatch.messages.waitFor({ mailbox: inbox.address, subject: 'During' }),
]
await announce(inbox.address, 'During')
for (const mail of await Promise.all(waits)) assert.equal(mail.subject, 'During')

const stream = mailhatch.messages.stream({ mailbox: inbox.address, after: (await mailhatch.me()).cursor })
await announce(inbox.address, 'Streamed')
assert.equal((await stream.next()).value.subject, 'Streamed')
await stream.return()

const subjects = []
for await (const { subject } of mailhatch.messages.list({ mailbox: inbox.address, limit: 1 })) subjects.push(subject)
assert.deepEqual(subjects, ['Streamed', 'During', 'Before'])

await inbox.expectNone({ subject: 'Newsletter', within: 100 })
await assert.rejects(inbox.waitFor({ subject: 'Never' }, { timeout: 100 }), (error) => {
  assert.ok(error instanceof MessageTimeoutError)
  assert.match(error.message, /Streamed \(not matching: .*subject/)
  return true
})
await assert.rejects(inbox.waitFor({ subject: 'Never' }, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' })
const { error } = await toResult(mailhatch.messages.get(randomUUID()))
assert.equal(error.status, 404)
assert.ok(error.cause instanceof NotFoundError)
await inbox[Symbol.asyncDispose]()

console.log(`${process.version} ${way} fine`)
