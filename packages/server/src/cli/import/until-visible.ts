import { setTimeout as pause } from 'node:timers/promises'
import type { Mailhatch } from '@mailhatch/sdk'
import { note } from '../output.ts'

const CHECK_EVERY_MS = 100
/** Mail is visible milliseconds after it was accepted, unless the server is busy. */
const VISIBLE_MS_MAX = 30_000

/**
 * Waits until accepted mail is visible, so that an import right after this one skips it. `before` is the number of messages
 * before the first was sent.
 */
export async function untilVisible(mailhatch: Mailhatch, { before, sent }: { before: number; sent: number }) {
  const deadline = performance.now() + VISIBLE_MS_MAX
  for (;;) {
    const missing = before + sent - (await mailhatch.me()).messageCount
    if (missing <= 0) return
    if (performance.now() > deadline) {
      const message = `${missing} of the accepted messages are not visible yet. Repeat the import only when they are.`
      return note({ code: 'not_visible', message })
    }
    await pause(CHECK_EVERY_MS)
  }
}
