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

test('fewer messages than expected: the error lists what came, and what did not match', async () => {
  const { sdk, sendMail } = await startServer()
  const inbox = await sdk.addresses.create()
  await sendMail({ to: inbox.address, subject: 'One' })
  const failure = (of: Promise<unknown>) => of.then(String, (error: unknown) => error as MessageCountError)
  const none = await failure(inbox.expectExactly(1, { subject: 'Two' }, { timeout: 600 }))
  expect(none).toMatchObject({ name: 'MessageCountError', messages: [] })
  expect((none as Error).message).toMatch(
    /^Expected 1 message that matches \{"subject":"Two"\} within 600 ms\. What did arrive:\n  to \S+: One \(not matching: subject\)/,
  )
  await sendMail({ to: inbox.address, subject: 'Two' })
  const some = await failure(inbox.waitForCount(2, { subject: 'Two' }, { timeout: 100 }))
  expect((some as Error).message).toMatch(/from \S+: Two\n  to \S+: One \(not matching: subject\)/)
  expect((some as Error).message.match(/: Two/g)).toHaveLength(1)
  const empty = await sdk.addresses.create()
  await expect(empty.waitForCount(1, {}, { timeout: 10 })).rejects.toThrow('Two (not matching: mailbox)')
})

test('a wait that ends while mail is on its way says so', async () => {
  const { sdk, smtpPort } = await startServer()
  const inbox = await sdk.addresses.create()
  const mail = await OpenMail.begin(smtpPort, inbox.address)
  const text = 'No message has arrived yet.\nThe server reports: mail on its way: 1 in open SMTP transactions.'
  const waits = [
    inbox.waitFor({}, { timeout: 100 }),
    inbox.waitFor({ where: () => true }, { timeout: 100 }),
    sdk.messages.waitFor({ mailbox: inbox.address }, { timeout: 100 }),
  ]
  for (const result of await Promise.allSettled(waits)) {
    expect(result).toMatchObject({
      status: 'rejected',
      reason: {
        name: 'MessageTimeoutError',
        message: expect.stringContaining(text),
        state: { settled: false, onItsWay: { transactions: 1 } },
      },
    })
  }
  await inbox.script([delay('1s')])
  mail.close()
  const delayed = OpenMail.begin(smtpPort, inbox.address)
  await expect
    .poll(() => sdk.messages.settled({ mailbox: inbox.address, quiet: 0, wait: 0 }))
    .toMatchObject({
      onItsWay: { transactions: 1 },
    })
  await expect(inbox.waitFor({}, { timeout: 100 })).rejects.toThrow('mail on its way: 1 in open SMTP transactions')
  const late = await delayed
  late.close()
})

test('a count that ends while mail is on its way is not certain, in the timeout that was given', async () => {
  const { url, apiKey, smtpPort } = await startServer()
  /** Seconds for which the server was asked to hold a response. */
  const waits: number[] = []
  const sdk = new Mailhatch({
    url,
    apiKey,
    fetch(asked, init) {
      // The SDK passes it as text.
      waits.push(Number(new URL(asked as string).searchParams.get('wait')))
      return fetch(asked, init)
    },
  })
  const inbox = await sdk.addresses.create()
  const mail = await OpenMail.begin(smtpPort, inbox.address)
  const counts = [
    inbox.expectExactly(0, {}, { quiet: 0, timeout: 700 }),
    inbox.expectExactly(1, { subject: 'Two' }, { quiet: 0, timeout: 700 }),
    inbox.waitForCount(2, {}, { timeout: 700 }),
  ]
  for (const [count, result] of (await Promise.allSettled(counts)).entries()) {
    const { reason } = result as PromiseRejectedResult
    expect(reason).toBeInstanceOf(NotSettledError)
    const { message } = reason as NotSettledError
    expect(message).toMatch(new RegExp(`^Expected (?:exactly )?${count} messages? that match`))
    expect(message).toContain(
      'arrived within 700 ms. The server reports: mail on its way: 1 in open SMTP transactions.',
    )
    expect(message).toContain('No message has arrived yet.')
    expect(message).not.toContain('Was the mail sent')
  }
  expect(Math.max(...waits)).toBeLessThanOrEqual(0.7)
  mail.close()
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

test('a cursor of another server is refused, because nothing would come after it', async () => {
  const { sdk, sendMail } = await startServer()
  const { address, cursor } = await sdk.addresses.create()
  await sendMail({ to: address })
  const inbox = { mailbox: address, after: 'c9999999' }
  const refused = {
    status: 400,
    code: 'cursor_not_found',
    message: expect.stringContaining('newer than every message'),
  }
  await expect(sdk.messages.settled({ ...inbox, quiet: 0, wait: 0 })).rejects.toMatchObject(refused)
  await expect(sdk.messages.count(inbox)).rejects.toMatchObject(refused)
  const newest = (await sdk.messages.waitUntilSettled({ mailbox: address, after: cursor })).cursor
  expect(await sdk.messages.count({ mailbox: address, after: newest })).toEqual({ count: 0, isExact: true })
})

test('mail for a tag that is longer in lower case is on its way', async () => {
  const { sdk, smtpPort } = await startServer()
  await sdk.mailboxes.create('box')
  const { team } = await sdk.me()
  // 60 bytes, and 90 in lower case.
  const tag = 'Ⱥ'.repeat(30)
  const mail = await OpenMail.begin(smtpPort, `box+${tag}@${team.domain}`)
  for (const query of [{ mailbox: 'box', tag }, { mailbox: 'box', tags: ['other', tag] }, { mailbox: `box+${tag}` }]) {
    const state = await sdk.messages.settled({ ...query, quiet: 0, wait: 0 })
    expect([query, state.settled, state.onItsWay.transactions]).toEqual([query, false, 1])
  }
  mail.close()
  const tooLong = sdk.messages.settled({
    mailbox: 'box',
    tags: Array.from({ length: 40 }, (_, number) => `${number}${'x'.repeat(160)}`),
  })
  await expect(tooLong).rejects.toMatchObject({ body: { details: { tags: ['must be at most 6000 bytes as JSON'] } } })
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
