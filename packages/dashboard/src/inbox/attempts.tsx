import type { SmtpAttempt } from '@mailhatch/sdk'
import { Badge, type Tone } from '../ui/badge.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { inboxQueries } from './inbox-queries.ts'
import { visibleText } from './safe-text.ts'

const OUTCOMES: Record<SmtpAttempt['outcome'], { text: string; tone: Tone }> = {
  accepted: { text: 'accepted', tone: 'good' },
  refused: { text: 'refused', tone: 'danger' },
  cut: { text: 'cut by a scenario', tone: 'warn' },
  closed: { text: 'closed by the client', tone: 'warn' },
  abandoned: { text: 'given up by the client', tone: 'warn' },
  'timed-out': { text: 'timed out', tone: 'warn' },
  'shut-down': { text: 'server stopped', tone: 'warn' },
}

const STAGES: Record<SmtpAttempt['stage'], string> = { rcpt: 'RCPT', data: 'DATA', 'after-data': 'the end of the mail' }

/** Beside a message: what was tried with its address. */
export function AttemptsOf({ address }: { address: string }) {
  return (
    <section aria-labelledby="attempts" className="space-y-1 text-sm">
      <h3 id="attempts" className="font-medium">
        Attempts of the last day
      </h3>
      <Loaded query={inboxQueries.attempts(address)}>
        {(attempts) =>
          attempts.length === 0 ? <p className="text-quiet">None.</p> : <AttemptList attempts={attempts} />
        }
      </Loaded>
    </section>
  )
}

/** What was tried with all addresses of the team. */
export function RecentAttempts() {
  return (
    <Loaded query={inboxQueries.attempts(null)}>
      {(attempts) =>
        attempts.length === 0 ? (
          <EmptyState icon="check" title="No mail was sent here">
            Every SMTP transaction of the last day for an address of this team appears here.
          </EmptyState>
        ) : (
          <AttemptList attempts={attempts} hasRecipients />
        )
      }
    </Loaded>
  )
}

function AttemptList({ attempts, hasRecipients = false }: { attempts: SmtpAttempt[]; hasRecipients?: boolean }) {
  return (
    <ol aria-label="Attempts, newest first" className="divide-y divide-line text-sm">
      {attempts.map((attempt) => (
        <AttemptItem key={attempt.id} attempt={attempt} hasRecipient={hasRecipients} />
      ))}
    </ol>
  )
}

function AttemptItem({ attempt, hasRecipient }: { attempt: SmtpAttempt; hasRecipient: boolean }) {
  const { to, from, outcome, stage, replies, startedAt, endedAt, size, tls } = attempt
  const last = replies.at(-1)
  return (
    <li className="py-1.5">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={OUTCOMES[outcome].tone}>{OUTCOMES[outcome].text}</Badge>
        {hasRecipient && <bdi className="min-w-0 break-all font-medium">{visibleText(to)}</bdi>}
        {last && (
          <span className="font-mono text-xs">
            {last.code} <bdi>{visibleText(last.text)}</bdi>
          </span>
        )}
        <span className="ml-auto text-xs text-quiet">
          <RelativeTime at={startedAt} />
        </span>
      </p>
      <p className="text-xs text-quiet">
        From <bdi>{visibleText(from) || 'none (as in bounces)'}</bdi>, up to {STAGES[stage]},{' '}
        {Date.parse(endedAt) - Date.parse(startedAt)} ms, {size.toLocaleString('en')} bytes, {tls ?? 'no TLS'}
      </p>
    </li>
  )
}
