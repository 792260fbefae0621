import type { ScenarioStep } from '@mailhatch/sdk'
import type { Action } from './scenario.ts'

/** Who receives mail: our SMTP listener, or the Email Routing of Cloudflare, which passes complete mail to our worker. */
export type InboxWorker = 'smtp' | 'cloudflare'

/**
 * What a scenario cannot do with mail from Email Routing. Null if it can do everything. The worker gets a mail when it has been
 * sent, and can only accept it, or refuse it for good with a text.
 */
export function findUnroutable(steps: ScenarioStep[]): string | null {
  const index = steps.findIndex((step) => !isRoutable(step))
  if (index === -1) return null
  const possible = "`accept`, and `reject` with a code from 500 on and `at: 'after-data'`"
  return `Step ${index + 1} is not possible with mail that comes through Cloudflare, only ${possible}.`
}

function isRoutable(step: ScenarioStep): boolean {
  return step.do === 'accept' || (step.do === 'reject' && step.code >= 500 && step.at === 'after-data')
}

/**
 * The reason with which Email Routing refuses a mail. It chooses the code of the reply. Null if the mail is accepted: also for a
 * refusal at another stage or for now, so that no test passes with another reply than the one that it asked for.
 */
export function routedRefusal(action: Action): string | null {
  const isPossible = action.do === 'reject' && action.at === 'after-data' && action.reply.startsWith('5')
  return isPossible ? action.reply.slice('550 '.length).trimEnd() : null
}
