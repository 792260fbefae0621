import { fileURLToPath } from 'node:url'
import { test, type Location, type Page } from '@playwright/test'
import type { Email } from './email.ts'
import type { InboxMatch, InboxWaitOptions } from './inbox.ts'
import { mailPage } from './mail-page.ts'
import { describeMatch } from './match.ts'
import { definitionsOf } from './scenario-steps.ts'
import type { TestInbox } from './test-inbox.ts'

export type PlaywrightEmail = Email & {
  /**
   * Shows the mail on the page, to click its links or compare screenshots. It runs no scripts and loads nothing.
   *
   * @example
   * await mail.open(page)
   * await page.getByRole('link', { name: 'Confirm' }).click()
   */
  open(page: Page): Promise<void>
}

/** An inbox whose waits, counts, attempts and scripts appear as steps in the report. */
export type PlaywrightInbox = Omit<TestInbox, 'waitFor'> & {
  waitFor(match?: InboxMatch, options?: InboxWaitOptions): Promise<PlaywrightEmail>
}

// Steps are not boxed: a boxed step hides the failing line of the test.
export function playwrightInbox(inbox: TestInbox): PlaywrightInbox {
  function waitFor(match: InboxMatch = {}, options?: InboxWaitOptions): Promise<PlaywrightEmail> {
    const wait = async () => {
      const email = await inbox.waitFor(match, options)
      return Object.assign(email, { open: (page: Page) => open(page, email) })
    }
    return test.step(`waitFor email ${describeMatch(match)}`, wait, callerOf(waitFor))
  }

  function expectNone(match: Parameters<TestInbox['expectNone']>[0] = {}): Promise<void> {
    const watch = () => inbox.expectNone(match)
    return test.step(`expectNone email ${describeMatch(match)}`, watch, callerOf(expectNone))
  }

  function script(...given: Parameters<TestInbox['script']>): ReturnType<TestInbox['script']> {
    const names = definitionsOf(given[0]).map((definition) => definition.do)
    return test.step(`script email ${names.join(', ')}`, () => inbox.script(...given), callerOf(script))
  }

  function settled(...given: Parameters<TestInbox['settled']>): ReturnType<TestInbox['settled']> {
    return test.step('settled email', () => inbox.settled(...given), callerOf(settled))
  }

  function attempts(): ReturnType<TestInbox['attempts']> {
    return test.step('attempts email', () => inbox.attempts(), callerOf(attempts))
  }

  function waitForAll(...given: Parameters<TestInbox['waitForAll']>): ReturnType<TestInbox['waitForAll']> {
    const title = `waitForAll email ${describeMatch(given[0] ?? {})}`
    return test.step(title, () => inbox.waitForAll(...given), callerOf(waitForAll))
  }

  function waitForCount(...given: Parameters<TestInbox['waitForCount']>): ReturnType<TestInbox['waitForCount']> {
    const title = `waitForCount email ${given[0]} ${describeMatch(given[1] ?? {})}`
    return test.step(title, () => inbox.waitForCount(...given), callerOf(waitForCount))
  }

  function expectExactly(...given: Parameters<TestInbox['expectExactly']>): ReturnType<TestInbox['expectExactly']> {
    const title = `expectExactly email ${given[0]} ${describeMatch(given[1] ?? {})}`
    return test.step(title, () => inbox.expectExactly(...given), callerOf(expectExactly))
  }

  return { ...inbox, waitFor, expectNone, script, settled, attempts, waitForAll, waitForCount, expectExactly }
}

async function open(page: Page, email: Email): Promise<void> {
  // Leave the app first; otherwise the mail would share its origin.
  await page.goto('about:blank')
  await page.setContent(mailPage(email))
}

/** The calling line of the test, so that the report shows it instead of a line in this file. */
function callerOf(callee: (...given: never[]) => unknown): { location?: Location } {
  const trace = { stack: '' }
  Error.captureStackTrace(trace, callee)
  const [, file, line, column] = /\bat (?:.*\()?(.+?):(\d+):(\d+)\)?$/m.exec(trace.stack) ?? []
  if (file === undefined) return {}
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  return { location: { file: path, line: Number(line), column: Number(column) } }
}
