import { expect, test } from 'vitest'
import { resumeUnderLoad } from './stream-resume.ts'

test('40 clients that lose their connection 10 times each see every match once and in order', async () => {
  const sizes = { clients: 40, reconnects: 10, messages: 300, seed: 7 }
  const report = await resumeUnderLoad(sizes)
  expect(report.wrong).toEqual([])
  expect(report.connections).toBe(sizes.clients * (sizes.reconnects + 1))
  expect(report.frames).toBeGreaterThan(sizes.clients * 30)
})
