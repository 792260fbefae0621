import { ConnectionError, ContentNotFoundError, Mailhatch, UnexpectedMessageError } from '@mailhatch/sdk'
import { describe, expect, test } from 'vitest'
import { store } from './support/announce.ts'
import { startFaultyProxy } from './support/faulty-proxy.ts'
import { startServer } from './support/server.ts'

describe('addresses', () => {
  test('each is new, in the team’s first mailbox, and the team is requested once', async () => {
    const { url, apiKey, sdk } = await startServer()
    await sdk.mailboxes.create('orders')
    const proxy = await startFaultyProxy(url, () => 'pass')
    const client = new Mailhatch({ url: proxy.url, apiKey })
    const inboxes = await Promise.all(Array.from({ length: 20 }, () => client.addresses.create()))
    const addresses = inboxes.map(({ address }) => address)
    expect(new Set(addresses).size).toBe(20)
    const { name } = (await sdk.mailboxes.list()).at(-1)!
    for (const address of addresses) expect(address).toMatch(new RegExp(`^${name}\\+[a-z0-9]{10}@mailhatch\\.test$`))
    expect(proxy.asked.filter((path) => path === '/v1/me')).toHaveLength(1)
  })

  test('a prefix, a mailbox by name, and `e2e` by default', async () => {
    const { sdk } = await startServer()
    const { address } = await sdk.addresses.create({ prefix: 'Sign up: Zoë’s first visit ever', mailbox: 'QA' })
    expect(address).toMatch(/^qa\+sign-up-zoe-s-first-visi-[a-z0-9]{10}@mailhatch\.test$/)
    for (const { id } of await sdk.mailboxes.list()) await sdk.mailboxes.delete(id)
    expect((await sdk.addresses.create()).address).toMatch(/^e2e\+/)
    await expect(sdk.addresses.create({ mailbox: 'qa+1@mailhatch.test' })).rejects.toThrow(
      'A mailbox is the name before',
    )
  })

  test('an unreachable server is reported, and requested again the next time', async () => {
    const { url, apiKey } = await startServer()
    const proxy = await startFaultyProxy(url, (number) => (number === 1 ? 'drop' : 'pass'))
    const client = new Mailhatch({ url: proxy.url, apiKey, retries: 0 })
    await expect(client.addresses.create()).rejects.toBeInstanceOf(ConnectionError)
    expect((await client.addresses.create()).address).toContain('@mailhatch.test')
  })
})

describe('an inbox', () => {
  async function start() {
    const server = await startServer()
    const inbox = await server.sdk.addresses.create()
    /** Resolves when the message can be read. */
    const deliver = (to: string, subject: string) => {
      const [, mailbox, tag] = /^(.*)\+(.*)@/.exec(to)!
      return store(server.url, { mailbox: mailbox!, tag: tag!, to, subject })
    }
    return { ...server, inbox, deliver }
  }

  test('returns each message once, in order of arrival', async () => {
    const { sdk, inbox, deliver } = await start()
    const other = await sdk.addresses.create()
    await deliver(other.address, 'For another test')
    for (const subject of ['One', 'Two', 'Three']) await deliver(inbox.address, subject)
    expect((await inbox.waitFor({ subject: 'two' })).subject).toBe('Two')
    expect((await inbox.waitFor()).subject).toBe('One')
    expect((await inbox.waitFor()).subject).toBe('Three')
    await expect(inbox.waitFor({}, { timeout: 100 })).rejects.toThrow(/Three \(not matching: returned before\)/)
    expect((await inbox.waitFor({}, { again: true })).subject).toBe('One')
    expect((await inbox.waitFor({}, { again: true })).subject).toBe('One')
    expect((await inbox.messages()).map(({ subject }) => subject)).toEqual(['One', 'Two', 'Three'])
  })

  test('returns two messages to two concurrent waits', async () => {
    const { inbox, deliver } = await start()
    const waits = [inbox.waitFor(), inbox.waitFor({ subject: /./, where: () => true })]
    await deliver(inbox.address, 'One')
    await deliver(inbox.address, 'Two')
    expect((await Promise.all(waits)).map(({ subject }) => subject).sort()).toEqual(['One', 'Two'])
  })

  test('has aliases for other users of the same test', async () => {
    const { inbox, deliver } = await start()
    const colleague = inbox.alias('Colleague')
    expect(colleague).toBe(inbox.address.replace('@', '.colleague@'))
    await deliver(colleague, 'You are invited')
    await deliver(inbox.address, 'Invitation sent')
    expect((await inbox.waitFor()).subject).toBe('Invitation sent')
    expect((await inbox.waitFor({ to: colleague.toUpperCase() })).subject).toBe('You are invited')
    expect((await inbox.waitFor({ to: /colleague/ }, { again: true })).subject).toBe('You are invited')
    expect((await inbox.waitFor({ to: '.colleague@' }, { again: true })).subject).toBe('You are invited')
    expect(await inbox.messages()).toHaveLength(2)
    expect(() => inbox.alias('a'.repeat(60))).toThrow(RangeError)
  })

  test('reports unexpected mail', async () => {
    const { inbox, deliver } = await start()
    await deliver(inbox.address, 'Welcome')
    await inbox.expectNone({ subject: 'Newsletter', within: 100 })
    const unexpected = inbox.expectNone({ within: 5_000 })
    await expect(unexpected).rejects.toBeInstanceOf(UnexpectedMessageError)
    await expect(unexpected).rejects.toThrow(/no message.*'Welcome' from sender@shop\.example to /)
    expect((await inbox.waitFor()).subject).toBe('Welcome')
    await inbox.expectNone({ within: 100 })
    const late = inbox.expectNone({ within: 20_000 }).catch((error: unknown) => error)
    await deliver(inbox.address, 'Late')
    expect(await late).toMatchObject({ name: 'UnexpectedMessageError', message: expect.stringContaining("'Late'") })
  })

  test('does not report an empty inbox if it could not look', async () => {
    const { url, apiKey } = await start()
    let isCut = false
    const proxy = await startFaultyProxy(url, () => (isCut ? 'drop' : 'pass'))
    const inbox = await new Mailhatch({ url: proxy.url, apiKey, retries: 0 }).addresses.create()
    await inbox.expectNone({ within: 100 })
    isCut = true
    await expect(inbox.expectNone({ within: 300 })).rejects.toBeInstanceOf(ConnectionError)
  })

  test('ends its open waits when its scope does', async () => {
    const { sdk } = await start()
    let waiting: Promise<unknown>
    {
      await using inbox = await sdk.addresses.create()
      waiting = inbox.waitFor().catch((error: unknown) => error)
    }
    expect(await waiting).toMatchObject({ message: expect.stringMatching(/^The inbox \S+ was closed\.$/) })
  })
})

describe('an email', () => {
  async function received(mail: { subject: string; text?: string; html?: string }) {
    const { sdk, sendMail } = await startServer()
    const inbox = await sdk.addresses.create()
    await sendMail({ to: inbox.address, ...mail })
    return { sdk, mail: await inbox.waitFor() }
  }

  test('shows its content', async () => {
    const { sdk, mail } = await received({ subject: 'Hello', text: 'Plain', html: '<p>Rich</p>' })
    expect(mail).toMatchObject({
      subject: 'Hello',
      from: 'sender@shop.example',
      text: 'Plain',
      html: '<p>Rich</p>',
    })
    expect(mail.headers.find(({ name }) => name === 'Subject')?.value).toBe('Hello')
    expect(await mail.raw()).toMatch(/^Subject: Hello\r$/m)
    expect(new TextDecoder().decode(await sdk.messages.raw(mail.id))).toBe(await mail.raw())
    // As sent:
    const { text: _text, ...wire } = JSON.parse(JSON.stringify(mail)) as Record<string, unknown>
    expect(Object.keys(wire)).toContain('textContent')
    expect(Object.keys(wire)).not.toContain('html')
  })

  test('returns its code, or says what it has instead', async () => {
    const { mail } = await received({ subject: 'Sign in', text: 'Your code is 482913. Order A-77 waits.' })
    expect(mail.code()).toBe('482913')
    expect(mail.code({ pattern: /order ([A-Z]-\d+)/gi })).toBe('A-77')
    expect(mail.code({ pattern: /[A-Z]-\d+/ })).toBe('A-77')
    expect(() => mail.code({ pattern: /\d{8}/ })).toThrow(
      /Nothing matching \/\\d\{8\}\/ in 'Sign in' to \S+\. Codes: 482913\. Its text: Your code is 482913\./,
    )
    const { mail: without } = await received({ subject: 'Welcome', text: 'Nice to see you.' })
    expect(() => without.code()).toThrow(ContentNotFoundError)
    expect(() => without.code()).toThrow(/No code in 'Welcome' to \S+\. Its text: Nice to see you\./)
  })

  test('returns its link, or lists its links', async () => {
    const html = `<a href="https://shop.example/">Shop</a> <a href="https://shop.example/verify?token=f3a1">Confirm your
      address</a> <a href="https://shop.example/unsubscribe">Unsubscribe</a>`
    const { mail } = await received({ subject: 'Welcome', html })
    expect(mail.link()).toBe('https://shop.example/verify?token=f3a1')
    expect(mail.link('/verify')).toBe('https://shop.example/verify?token=f3a1')
    expect(mail.link(/token=\w+/)).toBe('https://shop.example/verify?token=f3a1')
    expect(mail.link('Shop')).toBe('https://shop.example/')
    expect(mail.link({ kind: 'unsubscribe' })).toBe('https://shop.example/unsubscribe')
    expect(() => mail.link(/reset/)).toThrow(
      /No link matching \/reset\/ in 'Welcome' .*Links: \n {2}https:\/\/shop.example\/ /,
    )
    const { mail: without } = await received({ subject: 'Plain', text: 'No links here.' })
    expect(() => without.link()).toThrow("No link in 'Plain'")
  })

  test('does not print control characters of a sender to the terminal', async () => {
    const { mail } = await received({ subject: 'Bell \u0007 and \u001b[31mred\u202e', text: 'Nothing.' })
    expect(mail.subject).toContain('\u001b')
    // eslint-disable-next-line no-control-regex -- control characters are what the test looks for
    expect(() => mail.code()).toThrow(/^[^\u0000-\u001f\u202e]+$/)
  })
})
