import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import { reportFailure } from './proof.ts'

type Failed = { message: string }

/**
 * For every part, so that the page says why one failed: a test, a hook, the import of its file, or an error that no test
 * caught. Written at once, because a part that takes too long is killed.
 */
export default class FailureReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    report(test.fullName, test.result().errors ?? [])
  }

  onTestSuiteResult(suite: TestSuite): void {
    report(suite.fullName, suite.errors())
  }

  /** What its top level or a hook outside any suite threw. */
  onTestModuleEnd(module: TestModule): void {
    report('Before or after its tests', module.errors())
  }

  onTestRunEnd(_: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    report('Outside its tests', unhandled)
  }
}

function report(place: string, errors: readonly Failed[]): void {
  for (const { message } of errors) reportFailure(`${place}: ${message.split('\n', 1)[0]}`)
}
