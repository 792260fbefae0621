import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Mailhatch } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { beforeAll, expect, test, vi } from 'vitest'
import { packAll, type PackedProject } from './support/packed-projects.ts'

/** A build, and two Nodes and about 45 packages from the registry. */
const INSTALL_MS_MAX = 20 * 60_000

let install: (version: string) => Promise<PackedProject>
beforeAll(async () => {
  install = await packAll()
}, INSTALL_MS_MAX)

test.each(['20.20.2', '22'])(
  'on Node %s alone, npx mailhatch --catch-all from the tarballs catches a mail, and ends with npx',
  async (version) => {
    const project = await install(version)
    // The scripts of the project still run on its own Node.
    expect(readdirSync(join(project.folder, 'node_modules/.bin'))).not.toContain('node')
    const server = await project.start(['--catch-all'], { DATABASE_URL: 'postgres://app@localhost/app' })
    expect(server.printed()).toContain('DATABASE_URL was left alone')

    const apiKey = /API key\s+(\S+)/.exec(server.printed())![1]!
    const sdk = new Mailhatch({ url: server.url, apiKey })
    const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
    const mail = { from: 'app@shop.example', to: 'anna@gmail.com', subject: 'Hello', text: 'Your code is 482913.' }
    await transport.sendMail(mail)
    expect((await sdk.messages.waitFor({ mailbox: 'anna' })).codes[0]!.value).toBe('482913')

    expect(await server.isUp()).toBe(true)
    server.child.kill('SIGTERM')
    await vi.waitFor(async () => expect(await server.isUp()).toBe(false), { timeout: 60_000 })
  },
)
