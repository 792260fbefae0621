import { expect, test } from 'vitest'
import { resumeUnderLoad } from './stream-resume.ts'

test('500 clients that lose their connection 20 times each see every match once and in order', async () => {
  const sizes = { clients: 500, reconnects: 20, messages: 2_000, seed: 7 }
  const report = await resumeUnderLoad(sizes)
  console.info(report)
  expect(report.wrong).toEqual([])
  expect(report.connections).toBe(sizes.clients * (sizes.reconnects + 1))
  expect(report.frames).toBeGreaterThan(sizes.clients * 200)
})
