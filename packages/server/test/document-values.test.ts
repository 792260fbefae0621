import { expect, test } from 'vitest'
import { sendValues } from './document-values.ts'
import { startFileServer } from './support/file-server.ts'

const server = await startFileServer()

test('values that the document allows are accepted, and others are refused', async () => {
  const seed = 3
  const report = await sendValues(server, { seed, perValue: 6 })
  expect(report.wrong, `seed ${seed}`).toEqual([])
  expect(report.valid).toBeGreaterThan(300)
  expect(report.invalid).toBeGreaterThan(100)
})
