import { expect, test } from 'vitest'
import { createMeters } from './meters.ts'

test('a value that cannot be read, or not soon, is left out, and the others are served', async () => {
  const meters = createMeters('both')
  let reads = 0
  const silent = () => (reads++, new Promise<number>(() => {}))
  meters.watch('mailhatch_database_size_bytes', () => Promise.reject(new Error('The database is away.')))
  meters.watch('mailhatch_webhook_oldest_due_seconds', silent)
  meters.watch('mailhatch_waits_held', () => 7)
  for (let scrapes = 0; scrapes < 2; scrapes++) {
    const text = await meters.text()
    expect(text).toContain('\nmailhatch_waits_held 7\n')
    expect(text).not.toMatch(/^mailhatch_(database_size_bytes|webhook_oldest_due_seconds) /m)
  }
  // A database that does not respond is not asked again meanwhile.
  expect(reads).toBe(1)
})

test('a value that can be read again is served again', async () => {
  const meters = createMeters('both')
  let isAway = true
  meters.watch('mailhatch_disk_free_bytes', () => (isAway ? Promise.reject(new Error('away')) : 5))
  expect(await meters.text()).not.toMatch(/^mailhatch_disk_free_bytes /m)
  isAway = false
  expect(await meters.text()).toContain('\nmailhatch_disk_free_bytes 5\n')
})

test('series with known labels start with 0, so that Prometheus sees their first increase', async () => {
  const text = await createMeters('both').text()
  expect(text).toContain('\nmailhatch_announcements_total{outcome="failed"} 0\n')
  expect(text).toContain('\nmailhatch_parse_duration_seconds_count{outcome="failed"} 0\n')
})
