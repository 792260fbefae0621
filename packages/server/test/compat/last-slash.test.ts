import { expect, test } from 'vitest'
import { startServer } from '../support/server.ts'

test.each([
  ['mailhog', '/api/v1/messages'],
  ['maildev', '/email/all'],
  ['maildev', '/api/email/all'],
])('a path of %s with a slash at its end is the one without: DELETE %s/', async (name, path) => {
  const { compatUrl, url, apiKey, sdk, sendMail } = await startServer({ COMPAT: name, COMPAT_PORT: '0' })
  const subjects = async () => (await sdk.messages.list({})).data.map(({ subject }) => subject)
  const ask = (door: string, method: string) =>
    fetch(`${door}${path}/`, { method, headers: { authorization: `Bearer ${apiKey}` } })
  for (const door of [compatUrl, `${url}/compat/${name}`]) {
    await sendMail({ to: 'anna@shop.example', subject: 'Goes' })
    await expect.poll(subjects).toEqual(['Goes'])
    expect((await ask(door, 'PUT')).status).toBe(405)
    expect((await ask(door, 'DELETE')).status).toBe(200)
    expect(await subjects()).toEqual([])
  }
})

test('as in Mailpit, a path with a slash at its end is another', async () => {
  const { compatUrl, sdk, sendMail } = await startServer({ COMPAT: 'mailpit', COMPAT_PORT: '0' })
  await sendMail({ to: 'anna@shop.example', subject: 'Stays' })
  const subjects = async () => (await sdk.messages.list({})).data.map(({ subject }) => subject)
  await expect.poll(subjects).toEqual(['Stays'])
  expect((await fetch(`${compatUrl}/api/v1/messages/`, { method: 'DELETE' })).status).toBe(404)
  expect(await subjects()).toEqual(['Stays'])
})
