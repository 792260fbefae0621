import { Mailhatch, reject } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { openBeside } from './support/accounts.ts'
import { makeTeam } from './support/made-team.ts'
import { startServer } from './support/server.ts'

async function start() {
  const { url, dataDir, smtpPort } = await startServer()
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort })
  const send = (to: string) =>
    transport.sendMail({ from: 'app@shop.test', to, subject: 'Hello', text: 'Hello' }).then(
      () => 250,
      (error: { responseCode?: number }) => error.responseCode,
    )
  const addTeam = async (name: string, domain?: string) => {
    const apiKey = await makeTeam({ DATA_DIR: dataDir }, { name, plan: 'enterprise', ...(domain && { domain }) })
    return new Mailhatch({ url, apiKey })
  }
  return { send, addTeam, store: await openBeside(dataDir) }
}

const countIn = async (sdk: Mailhatch, mailbox: string) => (await sdk.messages.list({ mailbox })).data.length

test.each(['deletes', 'renames'])(
  'a team that %s a mailbox no longer scripts the mail of the next team',
  async (how) => {
    const { send, addTeam } = await start()
    const [former, next] = [await addTeam('Former'), await addTeam('Next')]
    const mailbox = await former.mailboxes.create('handed')
    const to = `handed+tag@${mailbox.address.split('@')[1]}`
    await former.scenarios.create(to, [reject(451)])
    expect(await send(to)).toBe(451)
    if (how === 'deletes') await former.mailboxes.delete(mailbox.id)
    else await former.mailboxes.rename(mailbox.id, 'other')
    expect(await former.scenarios.list()).toEqual([])
    await next.mailboxes.create('handed')
    expect(await send(to)).toBe(250)
    await next.scenarios.create(to, [reject(452)])
    expect(await send(to)).toBe(452)
    await expect.poll(() => countIn(next, 'handed')).toBe(1)
  },
)

test('a team whose domain has become that of another team no longer scripts its mail', async () => {
  const { send, addTeam, store } = await start()
  const [former, next] = [await addTeam('Former', 'shared.test'), await addTeam('Next', 'next.test')]
  const to = 'qa+tag@shared.test'
  await former.scenarios.create(to, [reject(451)])
  expect(await send(to)).toBe(451)
  const move = async (sdk: Mailhatch, domain: string) => {
    const { team } = await sdk.me()
    expect(await store.moveToDomain(team.id, { domain, isCustom: true, at: Date.now() })).toBe('moved')
  }
  await move(former, 'former.test')
  await move(next, 'shared.test')
  expect(await send(to)).toBe(250)
  await expect.poll(() => countIn(next, 'qa')).toBe(1)
  // The former team's scenario has not ended, and must not hide this one.
  await next.scenarios.create(to, [reject(452)])
  expect(await send(to)).toBe(452)
  expect(await former.scenarios.list()).toMatchObject([{ mails: 1 }])
})
