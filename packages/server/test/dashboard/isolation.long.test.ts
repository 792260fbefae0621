import { test } from 'vitest'
import { openIsolation } from './isolation-run.ts'

const showIsolated = await openIsolation()

test('hundreds of hostile mails run nothing and reach no server; without our frame they do', { timeout: 300_000 }, () =>
  showIsolated((all) => all, 300),
)
