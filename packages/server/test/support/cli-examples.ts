import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accept, Mailhatch } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { commandTree } from '../../src/cli/command-tree.ts'
import { createProgram } from '../../src/cli/program.ts'
import { createCommands } from './in-process.ts'
import { startDouble } from './json-double.ts'
import { writeMailpit } from './mail-stores.ts'
import { emptyDatabase } from './postgres.ts'
import { serveIn } from './server.ts'
import { createShell } from './shell.ts'

export type Example = { path: string; example: string }

export const COMMANDS = commandTree(createProgram('0.0.0'))
const ALL = COMMANDS.flatMap(({ path, examples }) => examples.map((example) => ({ path, example })))
/** Examples that need PostgreSQL run in its project, and the others in the other one. */
export const EXAMPLES: Example[] = ALL.filter(
  ({ example }) => example.includes('postgres://') === Boolean(inject('postgresUrl')),
)

/** They start their own server. */
const SERVERS = ['serve', 'api', 'worker']
/** Ids and databases in examples are replaced by existing ones. */
const EXAMPLE_ID = '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24'
const EXAMPLE_DATABASE = /postgres:\/\/\S+/g
const ADMIN_TOKEN = 'admin-token-of-the-tests'

const MAIL = [
  'From: app@shop.example',
  'To: qa@mailhatch.test',
  'Subject: Welcome',
  'Message-ID: <welcome@shop.example>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=x',
  '',
  '--x',
  'Content-Type: text/plain',
  '',
  'Your code is 482913.',
  '--x',
  'Content-Type: text/plain; name=terms.txt',
  'Content-Disposition: attachment; filename=terms.txt',
  '',
  'Be nice.',
  '--x--',
  '',
].join('\r\n')

/** A server with mail, and a folder with the files that examples name. */
async function setStage() {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-'))
  const provider = await startDouble(() => ({ status: 200, body: { success: true, errors: [], result: {} } }))
  const receiver = await startDouble(() => ({ status: 200, body: {} }))
  const dataDir = join(folder, 'data')
  const running = await serveIn(dataDir, {
    DATABASE_URL: '',
    ADMIN_TOKEN,
    EMAIL_WORKER_NAME: 'mailhatch-worker',
    CLOUDFLARE_ZONE_ID: 'zone',
    CLOUDFLARE_API_TOKEN: 'provider-token',
    CLOUDFLARE_API_URL: provider.url,
    WEBHOOK_ALLOWED_HOSTS: new URL(receiver.url).host,
  })
  writeFileSync(join(folder, 'mail.eml'), MAIL)
  writeFileSync(join(folder, 'terms.txt'), 'Be nice.')
  writeFileSync(join(folder, 'archive.mbox'), `From app@shop.example Mon Jan  5 2026\n${MAIL}\n`)
  const to = ['qa@mailhatch.test']
  writeMailpit(join(folder, 'mailpit.db'), [{ id: 'one', raw: Buffer.from(MAIL), from: 'app@shop.example', to, at: 0 }])
  mkdirSync(join(folder, 'mails'))
  writeFileSync(join(folder, 'mails', 'one.eml'), MAIL)
  writeFileSync(join(folder, 'mailhatch.env'), 'LOG_LEVEL=error\n')
  const environment = {
    DATA_DIR: dataDir,
    MAILHATCH_URL: `http://127.0.0.1:${running.apiPort}`,
    MAILHATCH_SMTP: `127.0.0.1:${running.smtpPort}`,
    WORKER_URL: `http://127.0.0.1:${running.workerPort}`,
    ADMIN_TOKEN,
    GITHUB_ENV: join(folder, 'github.env'),
  }
  const shell = createShell(folder, environment)
  const commands = createCommands(folder, environment)
  const transport = createTransport({ host: '127.0.0.1', port: running.smtpPort! })
  const sendMail = (to: string) => transport.sendMail({ envelope: { from: 'app@shop.example', to: [to] }, raw: MAIL })
  const json = async <Printed>(line: string) => {
    const { code, stdout, stderr } = await commands.run(line)
    expect([code, stderr]).toEqual([0, ''])
    // Our own command's format.
    return JSON.parse(stdout) as Printed
  }

  // A stopped server, in the folder where commands look by default.
  await (await serveIn(join(folder, '.mailhatch'), { DATABASE_URL: '' })).close()
  await sendMail('qa@mailhatch.test')
  const { id: messageId } = await json<{ id: string }>('mailhatch wait --mailbox qa --since 1h --json id')
  // Refused at first, because no team had the domain.
  await sendMail('qa@shop.example')
  const waiting = await vi.waitFor(async () => {
    const { messages } = await json<{ messages: { id: string; attempts: number }[] }>(
      'mailhatch worker messages qa@shop.example --status unprocessed',
    )
    expect(messages).toMatchObject([{ attempts: 1 }])
    return messages[0]!.id
  })
  await json('mailhatch teams create Shop --domain shop.example')
  const { id: keyId } = await json<{ id: string }>('mailhatch keys create --name spare --team Shop')
  // What the examples that delete something name.
  await json('mailhatch teams create Retired')
  await json('mailhatch users create bob@example.com --team Shop --role member')
  const sdk = new Mailhatch({ url: `http://127.0.0.1:${running.apiPort}`, apiKey: running.firstStart!.apiKey })
  await sdk.mailboxes.create('old')
  const { endpoint } = await sdk.webhooks.create({ url: `${receiver.url}/hook` })
  const scenario = await sdk.scenarios.create('qa+scripted@mailhatch.test', [accept()])
  const { endpoint: tested } = await sdk.webhooks.create({ url: `${receiver.url}/tested` })

  return {
    shell,
    sendMail,
    /** A new one for the command that deletes a message, because others still need theirs. */
    async idFor(path: string): Promise<string> {
      if (path === 'delete') {
        const { ids } = await json<{ ids: string[] }>('mailhatch send --to qa+gone@mailhatch.test')
        return ids[0]!
      }
      // Other examples disable or delete the first.
      if (['webhooks test', 'webhooks deliveries', 'webhooks replay'].includes(path)) return tested.id
      if (path.startsWith('webhooks ')) return endpoint.id
      if (path.startsWith('scenario ')) return scenario.id
      return path === 'keys revoke' ? keyId : path === 'worker retry' ? waiting : messageId
    },
    async close() {
      transport.close()
      await running.close()
      await provider.close()
      await receiver.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

let stage: Awaited<ReturnType<typeof setStage>>

/** Runs examples of the help as users would type them. */
export function describeExamples(examples: Example[]): void {
  beforeAll(async () => {
    stage = await setStage()
  })
  afterAll(() => stage.close())

  describe('the examples in the help work', () => {
    test.each(examples.filter(({ path, example }) => !isEndless(path, example)))(
      '$example',
      async ({ path, example }) => {
        const { code, stderr } = await stage.shell.run(await filledIn(path, example))
        // Long commands show their progress.
        const complaints = stderr.replaceAll(/^\w+ \w+: \d+ of \d+\n/gm, '')
        expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
      },
    )

    test.each(examples.filter(({ path, example }) => isEndless(path, example)))(
      '$example, while mail arrives',
      async ({ path, example }) => {
        const ownServer = { PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', DATA_DIR: join('own', path) }
        const { output, ended, stop } = stage.shell.start(example, SERVERS.includes(path) ? ownServer : {})
        await vi.waitFor(
          async () => {
            await stage.sendMail('qa@mailhatch.test')
            expect(output.stdout).not.toBe('')
          },
          { timeout: 30_000, interval: 200 },
        )
        if (!endsItself(example)) stop('SIGINT')
        const { code, stderr } = await ended
        expect(stderr).not.toContain('error')
        expect(code).toBe(SERVERS.includes(path) || endsItself(example) ? 0 : 130)
      },
    )
  })

  test('control: a wrong example fails', async () => {
    expect(await stage.shell.run('mailhatch wait --mailbocks qa')).toMatchObject({ code: 2 })
  })
}

/** It needs mail while it runs. */
function isEndless(path: string, example: string): boolean {
  return endsItself(example) || ([...SERVERS, 'listen', 'tail'].includes(path) && !example.includes('--count'))
}

function endsItself(example: string): boolean {
  return example.includes('--new')
}

async function filledIn(path: string, example: string): Promise<string> {
  const withIds = example.includes(EXAMPLE_ID) ? example.replaceAll(EXAMPLE_ID, await stage.idFor(path)) : example
  return example.includes('postgres://') ? withIds.replaceAll(EXAMPLE_DATABASE, await emptyDatabase()) : withIds
}
