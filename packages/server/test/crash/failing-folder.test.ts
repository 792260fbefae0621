import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFolderBucket } from '../../src/bucket/folder-bucket.ts'
import { startReceiver } from '../support/receiver.ts'
import { temporaryFolder } from '../support/server.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import { keysIn } from '../support/stored-mail.ts'
import { watchFiles, type FileStep } from '../support/watched-files.ts'

const STEPS: FileStep['name'][] = ['open', 'write', 'sync', 'close', 'make folder', 'rename', 'sync folder']
const OBJECTS = [
  { key: 'raw/in.test/qa/1.eml', body: Buffer.from('mail') },
  { key: 'messages/unprocessed/in.test/qa/1.json', body: Buffer.from('{}') },
]

type Fault = { step: FileStep['name']; skip: number; error: Error; lasts: boolean }

async function openFailingFolder() {
  const root = temporaryFolder()
  const faults = { current: null as Fault | null }
  const watched = watchFiles(({ name }) => {
    const fault = faults.current
    if (fault?.step !== name || fault.skip-- > 0) return
    if (!fault.lasts) faults.current = null
    throw fault.error
  })
  const bucket = await openFolderBucket(root, { files: watched })
  return { bucket, faults, temporaryFiles: () => readdirSync(join(root, '.incoming')) }
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: as asked`), { code })
}

/** How often a successful put takes this step. */
async function countSteps(step: FileStep['name']): Promise<number> {
  let count = 0
  const counting = watchFiles(({ name }) => {
    if (name === step) count++
  })
  const bucket = await openFolderBucket(temporaryFolder(), { files: counting })
  count = 0
  await bucket.put(OBJECTS)
  return count
}

describe.each(STEPS)('files: when the step "%s" fails', (step) => {
  test.each([
    ['once', false],
    ['and goes on failing', true],
  ])('%s, nothing is left behind and the next mail is stored', async (_name, lasts) => {
    const count = await countSteps(step)
    expect(count).toBeGreaterThanOrEqual(OBJECTS.length)
    for (let skip = 0; skip < count; skip++) {
      const { bucket, faults, temporaryFiles } = await openFailingFolder()
      faults.current = { step, skip, error: failure('EIO'), lasts }
      await expect(bucket.put(OBJECTS)).rejects.toThrow('EIO')
      expect(await keysIn(bucket)).toEqual([])
      expect(temporaryFiles()).toEqual([])
      faults.current = null
      await bucket.put(OBJECTS)
      expect(await keysIn(bucket)).toEqual(OBJECTS.map(({ key }) => key).sort())
    }
  })

  test.each([
    ['EIO', /^451 4\.3\.0 /],
    ['ENOSPC', /^452 4\.3\.1 /],
  ])('with %s, the sender gets a temporary error, and the session continues', async (code, reply) => {
    const { bucket, faults } = await openFailingFolder()
    const { port } = await startReceiver(bucket)
    const client = await SmtpClient.connect(port)
    const mail = { to: 'qa@in.test', raw: Buffer.from('Subject: hello\r\n\r\nhello\r\n') }
    faults.current = { step, skip: 0, error: failure(code), lasts: true }
    expect(await client.send(mail)).toMatch(reply)
    expect(await keysIn(bucket)).toEqual([])
    faults.current = null
    expect(await client.send(mail)).toMatch(/^250 /)
    expect(await keysIn(bucket)).toHaveLength(2)
    client.close()
  })
})
