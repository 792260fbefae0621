import { useState } from 'react'
import { Link } from 'wouter'
import { queries } from '../api/queries.ts'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner } from '../session.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { notify } from '../ui/notices.ts'
import { OwnersOnly } from '../ui/owners-only.tsx'
import { Page, Panel } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Cell, Row, Table } from '../ui/table.tsx'
import { NewScenarioDialog } from './new-scenario-dialog.tsx'

type Scenario = Outputs['scenarios']['list']['scenarios'][number]

export function ScenariosPage() {
  const isOwner = useIsOwner()
  const [isCreating, setCreating] = useState(false)
  const [removing, setRemoving] = useState<Scenario | null>(null)
  const remove = useAction((id: string) => trpc.scenarios.delete.mutate({ id }), {
    changes: ['scenarios'],
    onDone() {
      setRemoving(null)
      notify('Scenario removed.')
    },
  })
  const add = (
    <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
      Add scenario
    </Button>
  )
  return (
    <Page
      title="Scenarios"
      description="A scenario delays, refuses or cuts off the mail to one address, step by step, to test how your app copes. Tests add and end their own."
      actions={isOwner && add}
    >
      <OwnersOnly what="add and remove scenarios" />
      <Loaded query={queries.scenarios}>
        {({ scenarios, total }) => (
          <Panel isFlush>
            {scenarios.length === 0 ? (
              <EmptyState icon="steps" title="No scenarios">
                <p>All mail is accepted as usual.</p>
                {isOwner && add}
              </EmptyState>
            ) : (
              <Table caption="Scenarios" columns={COLUMNS}>
                {scenarios.map((scenario) => (
                  <ScenarioRow key={scenario.id} scenario={scenario} onRemove={() => setRemoving(scenario)} />
                ))}
              </Table>
            )}
            {total > scenarios.length && (
              <p className="border-t border-line px-4 py-2 text-sm text-quiet">
                The newest {scenarios.length} of {total.toLocaleString('en')}.
              </p>
            )}
          </Panel>
        )}
      </Loaded>
      <NewScenarioDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <ConfirmDialog
        title={`Remove the scenario of ${removing?.to}?`}
        action="Remove"
        isOpen={removing !== null}
        isBusy={remove.isRunning}
        failure={remove.failure}
        onClose={() => setRemoving(null)}
        onConfirm={() => removing && remove.run(removing.id)}
      >
        From then on, mail to the address is accepted as usual. A test that relies on the scenario may fail.
      </ConfirmDialog>
    </Page>
  )
}

const COLUMNS = [{ text: 'Address' }, { text: 'Steps' }, { text: 'Ends' }, { text: 'Actions', isHidden: true }]

function ScenarioRow({ scenario, onRemove }: { scenario: Scenario; onRemove: () => void }) {
  const isOwner = useIsOwner()
  const { to, match, expiresAt } = scenario
  return (
    <Row>
      <Cell className="align-top max-md:pr-10 md:w-2/5">
        <Link href={`/a/${encodeURIComponent(to)}`} className="link wrap-anywhere">
          {to}
        </Link>
        {match === 'prefix' && <p className="text-quiet">and tags that begin like it</p>}
      </Cell>
      <Cell className="align-top">
        <StepList scenario={scenario} />
      </Cell>
      <Cell label="Ends" className="align-top">
        <RelativeTime at={expiresAt} isPlanned />
      </Cell>
      <Cell align="right" className="align-top max-md:absolute max-md:right-2 max-md:top-2">
        {isOwner && <IconButton icon="trash" label={`Remove the scenario of ${to}`} onClick={onRemove} />}
      </Cell>
    </Row>
  )
}

/** How many mails each step has got, and which one is next. */
function StepList({ scenario: { to, steps, nextStep, mailsPerStep } }: { scenario: Scenario }) {
  return (
    <ol aria-label={`Steps for ${to}`} className="space-y-1">
      {steps.map((text, index) => {
        const mails = mailsPerStep[index]!
        return (
          // Steps are never added, removed or moved.
          <li key={index} className="flex flex-wrap items-center gap-x-2">
            <code className="font-mono text-xs wrap-anywhere">{text}</code>
            <span className="text-quiet">
              {mails.toLocaleString('en')} {mails === 1 ? 'mail' : 'mails'}
            </span>
            {index === nextStep && <Badge tone="accent">next</Badge>}
          </li>
        )
      })}
    </ol>
  )
}
