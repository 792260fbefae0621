import { expect, test } from 'vitest'
import { startServer, temporaryFolder } from './support/server.ts'
import { createCommands } from './support/in-process.ts'
import { createShell } from './support/shell.ts'

const AS_TERMINAL = '--import=data:text/javascript,process.stdout.isTTY=true'

test('a scenario is added, used, shown and removed on the command line', async () => {
  const { url, apiKey, sdk, sendMail } = await startServer()
  const environment = { MAILHATCH_URL: url, MAILHATCH_API_KEY: apiKey }
  const commands = createCommands(temporaryFolder(), environment)
  const run = async (line: string) => JSON.parse((await commands.run(`mailhatch scenario ${line}`)).stdout)

  const { team } = await sdk.me()
  const to = `qa+cli@${team.domain}`
  const added = await run(`add ${to} reject:451x2 "reject:550,text=No such user" accept --expires-in 5m`)
  expect(added).toMatchObject({ to, match: 'exact', nextStep: 0, mailsPerStep: [0, 0, 0] })
  expect(Date.parse(added.expiresAt) - Date.parse(added.createdAt)).toBe(300_000)

  await expect(sendMail({ to })).rejects.toMatchObject({ responseCode: 451 })
  await expect(sendMail({ to })).rejects.toMatchObject({ responseCode: 451 })
  await expect(sendMail({ to })).rejects.toThrow('No such user')
  const terminal = createShell(temporaryFolder(), { ...environment, NODE_OPTIONS: AS_TERMINAL })
  const { stdout } = await terminal.run(`mailhatch scenario show ${added.id}`)
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^qa\+cli@\S+, until \d\d:\d\d/),
    '   1  reject:451x2                  2 mails',
    '   2  reject:550,text=No such user  1 mail',
    '   3  accept                        0 mails  next',
    '',
  ])

  const tried = await terminal.run(`mailhatch attempts ${to} --limit 2`)
  expect(tried.stdout.split('\n')).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}  qa\+cli@\S+  refused at rcpt  550 \S+ No such user +from \S+$/),
    expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}  qa\+cli@\S+  refused at rcpt  451 .+ from \S+$/),
    '',
  ])
  const { stdout: outcomes } = await commands.run(`mailhatch attempts ${to} --json outcome`)
  expect(JSON.parse(outcomes)).toEqual([{ outcome: 'refused' }, { outcome: 'refused' }, { outcome: 'refused' }])

  expect(await run('list')).toMatchObject([{ id: added.id, mails: 3, mailsPerStep: [2, 1, 0] }])
  expect(await run(`remove ${added.id}`)).toEqual({ id: added.id })
  expect(await run('list')).toEqual([])
  await sendMail({ to })
})
