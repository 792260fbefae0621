import { expect, test } from 'vitest'
import { resumeUnderLoad } from './stream-resume.ts'

test('24 clients that lose their connection 6 times each see every match once and in order', async () => {
  const sizes = { clients: 24, reconnects: 6, messages: 200, seed: 7 }
  const report = await resumeUnderLoad(sizes)
  expect(report.wrong).toEqual([])
  expect(report.connections).toBe(sizes.clients * (sizes.reconnects + 1))
  expect(report.frames).toBeGreaterThan(sizes.clients * 20)
})
