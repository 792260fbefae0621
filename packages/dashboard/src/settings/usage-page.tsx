import { queries } from '../api/queries.ts'
import type { Outputs } from '../api/trpc.ts'
import { messagesText } from '../inbox/count-text.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { DayBars } from './day-bars.tsx'
import { DayFigures } from './day-figures.tsx'
import { LimitMeters } from './limit-meters.tsx'
import { bytesText, successText } from './usage-text.ts'

type Metrics = Outputs['metrics']['overview']

export function UsagePage() {
  return (
    <Page
      title="Usage"
      description="Mail and webhooks of the last 30 days, and the limits of your plan. Days are in UTC."
    >
      <Loaded query={queries.metrics}>{(metrics) => <Charts metrics={metrics} />}</Loaded>
      <Loaded query={queries.usage}>{(usage) => <LimitMeters usage={usage} />}</Loaded>
    </Page>
  )
}

function Charts({ metrics }: { metrics: Metrics }) {
  const { days, total, countedMessages } = metrics
  return (
    <>
      <Panel title={`${messagesText({ count: total })} in the last 30 days`}>
        <DayBars label="Messages" bars={days.map(({ date, count }) => ({ date, value: count }))} format={shortCount} />
        <DayFigures
          caption="Messages per day"
          columns={['Messages']}
          rows={days.map(({ date, count }) => ({ date, cells: [count.toLocaleString('en')] }))}
        />
      </Panel>
      <div className="grid items-start gap-5 sm:grid-cols-2">
        <SizePanel days={days} />
        <WebhooksPanel days={days} />
      </div>
      {total === 0 ? (
        <EmptyState icon="chart" title="No mail in the last 30 days" />
      ) : (
        <div className="grid gap-5 sm:grid-cols-3">
          <Counts title="Mailboxes" counts={metrics.mailboxes} />
          <Counts title="Tags" counts={metrics.tags} />
          <Counts title="Senders" counts={metrics.senders} />
        </div>
      )}
      {countedMessages < total && (
        <p className="text-sm text-quiet">
          Names and sizes cover the newest {countedMessages.toLocaleString('en')} messages.
        </p>
      )}
    </>
  )
}

function SizePanel({ days }: Pick<Metrics, 'days'>) {
  const bars = days.map(({ date, bytes }) => ({ date, value: bytes ?? 0 }))
  const sum = bars.reduce((before, { value }) => before + value, 0)
  return (
    <Panel title={`${bytesText(sum)} of mail`}>
      <DayBars label="Mail size" bars={bars} format={bytesText} isSmall />
      <DayFigures
        caption="Mail size per day"
        columns={['Size']}
        rows={days.map(({ date, bytes }) => ({ date, cells: [bytes === null ? 'not counted' : bytesText(bytes)] }))}
      />
    </Panel>
  )
}

function WebhooksPanel({ days }: Pick<Metrics, 'days'>) {
  const bars = days.map(({ date, delivered, failed }) => ({ date, value: delivered + failed, failed }))
  return (
    <Panel title={successText(days)}>
      {bars.every(({ value }) => value === 0) ? (
        <p className="text-sm text-quiet">
          No webhook was delivered or failed in the last 30 days. Those that are retried are not counted yet.
        </p>
      ) : (
        <>
          <DayBars label="Webhooks" bars={bars} format={shortCount} isSmall />
          <DayFigures
            caption="Webhooks per day"
            columns={['Delivered', 'Failed']}
            rows={days.map(({ date, delivered, failed }) => ({
              date,
              cells: [delivered.toLocaleString('en'), failed.toLocaleString('en')],
            }))}
          />
        </>
      )}
    </Panel>
  )
}

function shortCount(count: number): string {
  return count.toLocaleString('en', { notation: 'compact' })
}

function Counts({ title, counts }: { title: string; counts: Metrics['tags'] }) {
  return (
    <Panel title={title} isFlush>
      {counts.length === 0 ? (
        <p className="p-4 text-sm text-quiet">None.</p>
      ) : (
        <table className="w-full text-sm">
          <caption className="sr-only">{title}</caption>
          <thead className="sr-only">
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Messages</th>
            </tr>
          </thead>
          <tbody>
            {counts.map(({ name, count }) => (
              <tr key={name} className="border-b border-line last:border-0">
                <td className="px-4 py-1.5">{name}</td>
                <td className="px-4 py-1.5 text-right text-quiet tabular-nums">{count.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}
