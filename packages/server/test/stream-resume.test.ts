import { expect, test } from 'vitest'
import { resumeUnderLoad } from './stream-resume.ts'

test('100 clients that lose their connection 20 times each see every match once and in order', async () => {
  const sizes = { clients: 100, reconnects: 20, messages: 500, seed: 7 }
  const report = await resumeUnderLoad(sizes)
  expect(report.wrong).toEqual([])
  expect(report.connections).toBe(sizes.clients * (sizes.reconnects + 1))
  expect(report.frames).toBeGreaterThan(sizes.clients * 50)
})
