import { delay } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { OpenMail } from './settled/open-mail.ts'
import { runToExit } from './support/in-process.ts'
import { startServer, temporaryFolder } from './support/server.ts'
import { createShell } from './support/shell.ts'

const AS_TERMINAL = '--import=data:text/javascript,process.stdout.isTTY=true'

test('mailhatch attempts shows every reply, the size, and that mail was stored although its client had gone', async () => {
  const { url, apiKey, sdk, smtpPort } = await startServer()
  const environment = { MAILHATCH_URL: url, MAILHATCH_API_KEY: apiKey, NODE_OPTIONS: AS_TERMINAL }
  const inbox = await sdk.addresses.create()
  const first = await OpenMail.begin(smtpPort, inbox.address)
  await first.startContent('Hello', 3_000)
  expect(await first.finish()).toMatch(/^250/)
  await inbox.waitFor()
  await inbox.script([delay('1s', { at: 'after-data' })])
  const second = await OpenMail.begin(smtpPort, inbox.address)
  await second.startContent('Hello again')
  await second.drop()
  await expect.poll(async () => (await inbox.attempts()).map(({ outcome }) => outcome)).toEqual(['accepted', 'closed'])
  const { stdout } = await createShell(temporaryFolder(), environment).run(`mailhatch attempts ${inbox.address}`)
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(
      /^\d\d:\d\d:\d\d\.\d{3}  \S+  closed at after-data, but stored  250, 354 .*  \d+ B +from app@/,
    ),
    expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}  \S+  accepted at after-data +250, 354, 250 .*  3 kB +from app@/),
    '',
  ])
})

test('an address whose mail the team does not receive is an error, and one without attempts is not', async () => {
  const { url, apiKey, sdk } = await startServer()
  const { address } = await sdk.addresses.create()
  const attempts = (to: string) =>
    runToExit(['attempts', to, '--json'], { MAILHATCH_URL: url, MAILHATCH_API_KEY: apiKey })
  expect(await attempts(address)).toMatchObject({ code: 0, stdout: '[]\n' })
  const foreign = await attempts('qa@gmail.com')
  expect([foreign.code, foreign.stdout, foreign.stderr]).toEqual([1, '', expect.stringContaining('mailbox_unknown')])
})
