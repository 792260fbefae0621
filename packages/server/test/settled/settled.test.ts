import { cutDuring, delay, Mailhatch, MessageCountError, NotSettledError, reject } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { makeTeam, makeTeamKey } from '../support/made-team.ts'
import { startServer } from '../support/server.ts'
import { ConnectionLost } from '../support/smtp-replies.ts'
import { OpenMail } from './open-mail.ts'

test('mail is on its way from RCPT on, and all of it has arrived when it is a message', async () => {
  const { sdk, smtpPort } = await startServer()
  const inbox = await sdk.addresses.create()
  const other = await sdk.addresses.create()
  const mail = await OpenMail.begin(smtpPort, inbox.address)
  const query = { mailbox: inbox.address, quiet: 0, wait: 0 }
  expect(await sdk.messages.settled(query)).toMatchObject({
    settled: false,
    count: 0,
    onItsWay: { transactions: 1, waiting: 0, announcing: 0 },
  })
  expect(await other.settled({ quiet: 0 })).toMatchObject({ settled: true, count: 0 })
  await mail.startContent('Slow')
  const waiting = inbox.settled({ quiet: 0 })
  expect(await mail.finish()).toMatch(/^250/)
  const { count, messages, cursor } = await waiting
  expect([count, messages.map(({ subject }) => subject)]).toEqual([1, ['Slow']])
  expect(await inbox.settled({ quiet: 0, after: cursor })).toMatchObject({ settled: true, count: 0, messages: [] })
  expect(await sdk.messages.count({ mailbox: inbox.address })).toEqual({ count: 1, isExact: true })
  expect(await sdk.messages.count({ mailbox: inbox.address, after: cursor })).toEqual({ count: 0, isExact: true })
})

test('a transaction that ends without a mail is not on its way', async () => {
  const { sdk, smtpPort } = await startServer()
  const inbox = await sdk.addresses.create()
  const reset = await OpenMail.begin(smtpPort, inbox.address)
  await reset.say('RSET')
  const gone = await OpenMail.begin(smtpPort, inbox.address)
  await gone.startContent('Never ends')
  await expect(inbox.settled({ quiet: 0, timeout: 500 })).rejects.toThrow('1 in open SMTP transactions')
  gone.close()
  expect(await inbox.settled({ quiet: 0 })).toMatchObject({ count: 0 })
  reset.close()
})

test('mail that a scenario delays is on its way, and one that it refuses is not', async () => {
  const { sdk, smtpPort } = await startServer()
  const inbox = await sdk.addresses.create()
  await inbox.script([reject(451), cutDuring('data'), delay('1s')])
  await expect(OpenMail.begin(smtpPort, inbox.address)).rejects.toThrow('451')
  const cut = await OpenMail.begin(smtpPort, inbox.address)
  await expect(cut.startContent('Cut')).rejects.toBeInstanceOf(ConnectionLost)
  expect(await inbox.settled({ quiet: 0 })).toMatchObject({ count: 0 })
  const delayed = OpenMail.begin(smtpPort, inbox.address)
  await expect
    .poll(() => sdk.messages.settled({ mailbox: inbox.address, quiet: 0, wait: 0 }))
    .toMatchObject({ settled: false, onItsWay: { transactions: 1 } })
  const mail = await delayed
  mail.close()
  expect(await inbox.settled({ quiet: 0 })).toMatchObject({ count: 0 })
})

test('exactly so many messages: fewer and more fail, with a list of what came', async () => {
  const { sdk, smtpPort, sendMail } = await startServer()
  const inbox = await sdk.addresses.create()
  await sendMail({ to: inbox.address, subject: 'Welcome' })
  expect((await inbox.expectExactly(1)).map(({ subject }) => subject)).toEqual(['Welcome'])
  await expect(inbox.waitForCount(2, {}, { timeout: 500 })).rejects.toThrow(
    /^Expected 2 messages that match \{\} within 500 ms\. What did arrive:\n  \S+Z to \S+ from sender@shop\.example: Welcome$/,
  )
  // Sent twice: the second one is on its way when the first one is there.
  const second = await OpenMail.begin(smtpPort, inbox.address)
  const exactly = inbox.expectExactly(1, {}, { quiet: 0 })
  await second.startContent('Welcome again')
  await second.finish()
  const failure = await exactly.catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(MessageCountError)
  expect((failure as MessageCountError).messages.map(({ subject }) => subject)).toEqual(['Welcome', 'Welcome again'])
  expect(await inbox.expectExactly(1, { subject: 'again' })).toHaveLength(1)
  const all = await inbox.waitForAll()
  expect(all.map(({ subject }) => subject)).toEqual(['Welcome', 'Welcome again'])
  expect(await inbox.waitForAll({}, { quiet: 0 })).toEqual([])
  expect((await inbox.waitForCount(2)).map(({ id }) => id)).toEqual(all.map(({ id }) => id))
})

test('no mail: one that is still being sent fails it', async () => {
  const { sdk, smtpPort } = await startServer()
  const inbox = await sdk.addresses.create()
  await inbox.expectNone({ within: 0 })
  const mail = await OpenMail.begin(smtpPort, inbox.address)
  await expect(inbox.expectNone({ within: 0, timeout: 500 })).rejects.toBeInstanceOf(NotSettledError)
  const none = inbox.expectNone({ within: 0 })
  await mail.startContent('Surprise')
  const [result] = await Promise.allSettled([none, mail.finish()])
  expect(result).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining("'Surprise'") } })
})

test('what is not valid is refused, and the addresses of another team are unknown', async () => {
  const { sdk } = await startServer()
  const { team } = await sdk.me()
  const mailbox = `qa@${team.domain}`
  const refused = async (query: object) =>
    sdk.messages.settled({ mailbox, ...query }).then(
      () => 'accepted',
      (error: { body: { details?: object; code: string } }) => error.body.details ?? error.body.code,
    )
  expect(await refused({ mailbox: '' })).toEqual({ mailbox: ['is required'] })
  expect(await refused({ quiet: 21 })).toEqual({ quiet: ['must be a number of seconds from 0 to 20'] })
  expect(await refused({ quiet: 2, wait: 2 })).toEqual({ wait: ['must be longer than quiet'] })
  expect(await refused({ subject: 'Welcome' })).toEqual({ subject: ['cannot be used here'] })
  const many = Array.from({ length: 51 }, (_, index) => `tag${index}`)
  expect(await refused({ tags: many })).toEqual({ tags: ['must be at most 50 tags'] })
  expect(await refused({ mailbox: 'qa@other.example' })).toBe('mailbox_unknown')
  expect(await refused({ quiet: 0, wait: 0 })).toBe('accepted')
  // No address has both.
  expect(await refused({ tag: 'one', tags: ['two'], quiet: 0, wait: 0 })).toBe('accepted')
})

test('a key learns nothing about mail that it may not read', async () => {
  const { sdk, url, dataDir, smtpPort } = await startServer()
  const environment = { DATA_DIR: dataDir }
  const { team } = await sdk.me()
  await Promise.all([sdk.mailboxes.create('anna'), sdk.mailboxes.create('bob')])
  const foreign = await makeTeam(environment, { name: 'Other', domain: 'other.test', plan: 'pro' })
  const bound = await makeTeamKey(environment, team.name, { mailbox: 'anna' })
  const mail = await OpenMail.begin(smtpPort, `anna+1@${team.domain}`)
  const ask = (apiKey: string, mailbox: string) =>
    new Mailhatch({ url, apiKey }).messages.settled({ mailbox, quiet: 0, wait: 0 }).then(
      ({ onItsWay }) => onItsWay.transactions,
      ({ code }: { code: string }) => code,
    )
  expect(await ask(foreign, `anna@${team.domain}`)).toBe('mailbox_unknown')
  expect(await ask(foreign, `none@${team.domain}`)).toBe('mailbox_unknown')
  expect(await ask(foreign, 'anna')).toBe(0)
  expect(await ask(bound, 'anna')).toBe(1)
  expect(await ask(bound, `anna+1@${team.domain}`)).toBe(1)
  expect(await ask(bound, 'anna+2')).toBe(0)
  expect([await ask(bound, 'bob'), await ask(bound, 'anna@other.test')]).toEqual(['forbidden', 'forbidden'])
  mail.close()
})
