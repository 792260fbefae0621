import { expect, test } from 'vitest'
import { withDeadline } from './deadline.ts'

test('work that never ends is given up; a result or an error in time is passed on', async () => {
  await expect(withDeadline(new Promise(() => {}), 10, 'Waiting')).rejects.toThrow('Waiting took more than 10 ms')
  await expect(withDeadline(Promise.resolve(7), 60_000, 'Waiting')).resolves.toBe(7)
  await expect(withDeadline(Promise.reject(new Error('broken')), 60_000, 'Waiting')).rejects.toThrow('broken')
})
