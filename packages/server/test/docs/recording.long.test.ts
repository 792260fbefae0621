import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordFailingTest } from '../../../../scripts/record-failing-test.ts'
import { REPOSITORY } from '../support/markdown.ts'
import { shownText } from '../support/shown-text.ts'

/** Without what differs from run to run: times, ports, random tags, and figures of the machine. */
const lasting = (drawing: string): string =>
  shownText(drawing)
    .replaceAll(/-w1-[a-z0-9]+/g, '-w1-tag')
    .replaceAll(/\(tests .*\)/g, '(shares)')
    .replaceAll(/\d+(?::\d+)*(?:\.\d+)?/g, '0')

test('a new recording shows what the recording in the README shows', async () => {
  const kept = readFileSync(join(REPOSITORY, 'docs/images/failing-test.svg'), 'utf8')
  expect(lasting(kept)).toContain('What did arrive:')
  expect(lasting(await recordFailingTest())).toBe(lasting(kept))
})
