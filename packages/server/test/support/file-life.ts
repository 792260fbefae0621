import { afterAll } from 'vitest'

/** Registers what ends something when it is no longer needed. `onTestFinished` is one: after the test that runs. */
export type WhenOver = (end: () => void | Promise<void>) => void

/** For what the tests of a file share: its ends run after the last test, newest first. Called at the top of the file. */
export function afterTheFile(): WhenOver {
  const ends: (() => void | Promise<void>)[] = []
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return (end) => void ends.push(end)
}
