import { expect, test } from 'vitest'
import { store } from './support/announce.ts'
import { startServer } from './support/server.ts'

test('a login mail ends the wait of a test', async () => {
  const { sdk, sendMail } = await startServer()
  const waiting = sdk.messages.waitFor({ mailbox: 'qa', tag: 'login' })
  await sendMail({ to: 'qa+login@mailhatch.test', subject: 'Your code is 482913', text: 'Your code is 482913.' })
  const mail = await waiting
  expect(mail.subject).toBe('Your code is 482913')
  expect(mail.codes[0]?.value).toBe('482913')
})

test('limit: arrival delay: mail is usually there within 3 seconds for a client that polls', async () => {
  const { sdk, sendMail } = await startServer()
  const delaysMs: number[] = []
  for (const tag of ['1', '2', '3', '4', '5']) {
    await sendMail({ to: `qa+${tag}@mailhatch.test`, subject: 'Welcome' })
    const sentAt = performance.now()
    await expect.poll(async () => (await sdk.messages.list({ mailbox: 'qa', tag })).data.length).toBe(1)
    delaysMs.push(performance.now() - sentAt)
  }
  // The median, because a machine that runs many tests may delay some.
  expect(delaysMs.sort((one, other) => one - other)[2]).toBeLessThan(3_000)
})

test('a poll always returns the messages stored before it, even if it is repeated', async () => {
  const { sdk, url } = await startServer()
  let isDone = false
  const poll = async () => {
    while (!isDone) await sdk.messages.list({ mailbox: 'qa', limit: 1 })
  }
  const polling = [poll(), poll(), poll()]
  for (let count = 1; count <= 25; count++) {
    await store(url, { mailbox: 'qa', subject: `Mail ${count}`, receivedAt: new Date(count * 1000).toISOString() })
    expect((await sdk.messages.latest({ mailbox: 'qa' })).subject).toBe(`Mail ${count}`)
    expect((await sdk.messages.list({ mailbox: 'qa', limit: 1 })).data[0]?.subject).toBe(`Mail ${count}`)
  }
  isDone = true
  await Promise.all(polling)
})

test('a list request whose wait timed out is held again when it is repeated', async () => {
  const { sdk, url } = await startServer()
  // The mail must be stored before the second wait ends, on a busy machine too.
  const question = { mailbox: 'qa', wait: 3 }
  expect((await sdk.messages.list(question)).data).toEqual([])
  const again = sdk.messages.list(question)
  await store(url, { mailbox: 'qa', subject: 'Late' })
  expect((await again).data.map(({ subject }) => subject)).toEqual(['Late'])
})
