import { expect, test } from 'vitest'
import { sendValues } from './document-values.ts'
import { startFileServer } from './support/file-server.ts'

const server = await startFileServer()

test('500 values for each parameter and field of the document', async () => {
  const seed = Date.now() % 1_000_000
  const report = await sendValues(server, { seed, perValue: 500 })
  console.info({ seed, valid: report.valid, invalid: report.invalid })
  expect(report.wrong, `seed ${seed}`).toEqual([])
})
