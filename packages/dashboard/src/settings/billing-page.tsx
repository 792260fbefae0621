import { queries } from '../api/queries.ts'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner, useSession } from '../session.tsx'
import { Button, Buttons } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { OwnersOnly } from '../ui/owners-only.tsx'
import { Page, Panel } from '../ui/page.tsx'

/** Away from here, to the payment provider. */
const goThere = ({ url }: { url: string }) => location.assign(url)

export function BillingPage() {
  const { team } = useSession()
  const isOwner = useIsOwner()
  return (
    <Page title="Billing" description={`The team is on the plan ${team.plan}.`}>
      <OwnersOnly what="see and change what is paid" />
      {isOwner && <Loaded query={queries.billing}>{(status) => <BillingPanel status={status} />}</Loaded>}
    </Page>
  )
}

function BillingPanel({ status }: { status: Outputs['billing']['status'] }) {
  const checkout = useAction(() => trpc.billing.checkout.mutate(), { onDone: goThere })
  const portal = useAction(() => trpc.billing.portal.mutate(), { onDone: goThere })
  const failure = checkout.failure ?? portal.failure
  if (!status.isAvailable) {
    return (
      <Panel>
        <p>Nothing is paid on this server. Whoever runs it sets the plan of each team.</p>
      </Panel>
    )
  }
  return (
    <Panel>
      {status.plan === 'starter' && (
        <p>Pro keeps mail for 90 days and has 20 mailboxes, 10 keys, 15 members and webhooks.</p>
      )}
      {failure && <FailureNotice failure={failure} />}
      <Buttons>
        {status.plan === 'starter' && (
          <Button look="primary" isBusy={checkout.isRunning} onClick={() => checkout.run()}>
            Take the plan pro
          </Button>
        )}
        {status.isCustomer && (
          <Button icon="outside" isBusy={portal.isRunning} onClick={() => portal.run()}>
            Invoices and payment
          </Button>
        )}
      </Buttons>
    </Panel>
  )
}
