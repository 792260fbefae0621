import { fileURLToPath } from 'node:url'
import { test, type Location, type Page } from '@playwright/test'
import type { Email } from './email.ts'
import type { InboxMatch, InboxWaitOptions } from './inbox.ts'
import { mailPage } from './mail-page.ts'
import { describeMatch } from './match.ts'
import type { TestInbox } from './test-inbox.ts'

export type PlaywrightEmail = Email & {
  /**
   * Shows the mail on the page, to click on its links or to compare a screenshot; nothing in it runs, and it loads nothing.
   *
   * @example
   * await mail.open(page)
   * await page.getByRole('link', { name: 'Confirm' }).click()
   */
  open(page: Page): Promise<void>
}

/** An inbox whose waits are steps of the report. */
export type PlaywrightInbox = Omit<TestInbox, 'waitFor'> & {
  waitFor(match?: InboxMatch, options?: InboxWaitOptions): Promise<PlaywrightEmail>
}

// Steps are never boxed: a boxed one hides the line of the test that failed.
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

  return { ...inbox, waitFor, expectNone }
}

async function open(page: Page, email: Email): Promise<void> {
  // Away from the app first, or the mail would become a part of its page.
  await page.goto('about:blank')
  await page.setContent(mailPage(email))
}

/** The line of the test, for the report to show instead of one of ours. */
function callerOf(callee: (...given: never[]) => unknown): { location?: Location } {
  const trace = { stack: '' }
  Error.captureStackTrace(trace, callee)
  const [, file, line, column] = /\bat (?:.*\()?(.+?):(\d+):(\d+)\)?$/m.exec(trace.stack) ?? []
  if (file === undefined) return {}
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  return { location: { file: path, line: Number(line), column: Number(column) } }
}
