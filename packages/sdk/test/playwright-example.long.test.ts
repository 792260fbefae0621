import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findChromium } from '../../server/test/support/chromium.ts'
import { installExamples } from './support/examples.ts'
import { playwrightReport } from './support/playwright-report.ts'

const RUNS = 10

test(`the 21 tests of the Playwright example pass ${RUNS} times in a row`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-examples-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await installExamples(folder)
  for (let run = 1; run <= RUNS; run++) {
    const { results } = await playwrightReport(join(folder, 'examples/playwright'), { chromium: await findChromium() })
    expect(results.filter(({ status }) => status !== 'passed')).toEqual([])
    expect(results).toHaveLength(21)
  }
})
