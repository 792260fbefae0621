import { writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestResult, TestStep } from '@playwright/test/reporter'

/** Records the location of each test step, which Playwright's JSON report does not contain. */
export default class StepLines implements Reporter {
  readonly #lines: string[] = []

  printsToStdio(): boolean {
    return false
  }

  onStepEnd({ title }: TestCase, _: TestResult, { category, location }: TestStep): void {
    const file = location?.file.split('/').at(-1)
    if (category === 'test.step') this.#lines.push(`${title}: ${file}:${location?.line}`)
  }

  onEnd(): void {
    writeFileSync('step-lines.json', JSON.stringify(this.#lines))
  }
}
