import { Mailhatch } from '@mailhatch/sdk'
import { describe, expect, test } from 'vitest'
import { API_KEY, spawnServer, startChild, type ChildServer } from '../support/child-server.ts'
import { withDatabase } from '../support/journey-database.ts'
import { run } from '../support/program.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import { writeUntilRefused } from './refused-writes.ts'

const MIB = 1024 * 1024

type Ready = { status: string; troubles?: string[] }

async function send({ smtpPort }: ChildServer, tag: string): Promise<string> {
  const client = await SmtpClient.connect(smtpPort)
  const reply = await client.send({
    to: `qa+${tag}@mailhatch.test`,
    raw: Buffer.from(`Subject: ${tag}\r\n\r\n${'x'.repeat(50_000)}\r\n`),
  })
  client.close()
  return reply
}

const sdkOf = ({ apiUrl: url }: ChildServer) => new Mailhatch({ url, apiKey: API_KEY })

async function readyOf({ apiUrl }: ChildServer): Promise<Ready> {
  // The response of the API itself.
  return (await (await fetch(`${apiUrl}/ready`)).json()) as Ready
}

describe('on a full disk', () => {
  test('a server that was killed, and then stopped, starts, serves reads and refuses mail temporarily', async () => {
    const disk = mountSmallDisk(16 * MIB)
    const environment = { DATA_DIR: disk.folder, DISK_FREE_MIN: String(2 * MIB) }
    let server = await startChild({ environment })
    // After a kill, the write-ahead log is larger than the room that is reserved for a start.
    for (let count = 0; count < 40; count++) expect(await send(server, 'earlier')).toMatch(/^250 /)
    expect(await send(server, 'kept')).toMatch(/^250 /)
    const { id } = await sdkOf(server).messages.waitFor({ tag: 'kept' })

    // Twice: a start must not use up space that the next one needs. More of both are in prove/full-disk.prove.ts.
    for (const end of ['kill', 'stop'] as const) {
      await server[end]()
      disk.fill()
      server = await startChild({ environment })
      disk.fill()
      expect(await sdkOf(server).messages.get(id)).toMatchObject({ subject: 'kept' })
      const raw = await fetch(`${server.apiUrl}/v1/messages/${id}/raw`, {
        headers: { authorization: `Bearer ${API_KEY}` },
      })
      expect([raw.status, (await raw.arrayBuffer()).byteLength > 50_000]).toEqual([200, true])
      // A mail that was visible when the server was killed may still be announced again, which readiness reports as well.
      const troubles = expect.arrayContaining(['the disk is full'])
      expect(await readyOf(server)).toMatchObject({ status: 'not ready', troubles })
      expect(await send(server, 'refused')).toMatch(/^452 4\.3\.1 /)
      disk.fill()
      const { status, answer, written } = await writeUntilRefused(server, `after-${end}`)
      expect({ status, answer, written }).toEqual({
        status: 507,
        answer: expect.objectContaining({ code: 'storage_full', error: 'The server is out of disk space.' }),
        written: expect.any(Number),
      })
      expect(await sdkOf(server).messages.get(id)).toMatchObject({ subject: 'kept' })
    }

    await server.stop()
    disk.free()
    server = await startChild({ environment })
    expect(await readyOf(server)).toEqual({ status: 'ready' })
    expect(await send(server, 'again')).toMatch(/^250 /)
    await sdkOf(server).messages.waitFor({ tag: 'again' })
  })

  test('accepted mail that is not visible yet is counted by /ready, and appears when there is room', async () => {
    const inbox = mountSmallDisk(16 * MIB)
    const settings = await withDatabase({ DATA_DIR: inbox.folder, DISK_FREE_MIN: String(2 * MIB) })
    // Without a reachable API, it accepts mail and waits.
    const away = { ...settings, WEBHOOK_URL: 'http://127.0.0.1:9/webhooks/inbox' }
    let server = spawnServer({ environment: away })
    await server.ready
    for (const tag of ['one', 'two']) expect(await send(server, tag)).toMatch(/^250 /)
    await server.stop()

    inbox.fill()
    server = spawnServer({ environment: away })
    await server.ready
    inbox.fill()
    await expect
      .poll(async () => (await readyOf(server)).troubles)
      .toEqual([
        'the disk is full',
        expect.stringMatching(/^announcements are not reaching the API: no response/),
        expect.stringMatching(
          /^announcements are late: 2 messages are accepted and not visible yet, the oldest for \d+ s$/,
        ),
      ])
    await server.stop()

    inbox.free()
    server = spawnServer({ environment: settings })
    await server.ready
    for (const tag of ['one', 'two']) await sdkOf(server).messages.waitFor({ tag })
  })

  test('a first start reports that the disk is full', async () => {
    const disk = mountSmallDisk(MIB)
    disk.fill()
    const { code, stderr } = await run(['serve'], {
      DATA_DIR: disk.folder,
      PORT: '0',
      WORKER_PORT: '0',
      SMTP_PORT: '0',
    })
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/disk is full|no space left/i)
    expect(stderr).not.toMatch(/database or disk is full|disk I\/O error|SQLITE|\n +at /)
  })
})
