import type { Duration } from './duration.ts'
import type { Match } from './match.ts'
import { anything, checkDuration, type OptionChecks } from './options.ts'
import { SETTLED_OPTIONS, type SettledOptions } from './settled.ts'
import { WAIT_OPTIONS, type WaitOptions } from './wait.ts'

/** What to wait for; the inbox itself determines mailbox and tag. */
export type InboxMatch = Omit<Match, 'mailbox' | 'tag' | 'tags'>

/** `again`: also match messages that `waitFor` returned before, and leave the match for other calls. */
export type InboxWaitOptions = WaitOptions & { again?: boolean }

/** `after`: a cursor, for what came later. Default: everything. */
export type InboxSettledOptions = SettledOptions & { after?: string | undefined }

export type ExpectNoneOptions = { within?: Duration; timeout?: Duration; signal?: AbortSignal }

export const INBOX_WAIT_OPTIONS: OptionChecks<InboxWaitOptions> = { ...WAIT_OPTIONS, again: anything }
export const INBOX_SETTLED_OPTIONS: OptionChecks<InboxSettledOptions> = { ...SETTLED_OPTIONS, after: anything }
export const EXPECT_NONE_OPTIONS = { within: checkDuration, timeout: checkDuration, signal: anything }
