import { queries } from '../api/queries.ts'
import { trpc, type Outputs } from '../api/trpc.ts'
import { useAction } from '../api/use-action.ts'
import { useIsOwner, useSession } from '../session.tsx'
import { Button, Buttons } from '../ui/button.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { OwnersOnly } from '../ui/owners-only.tsx'
import { Page, Panel } from '../ui/page.tsx'

const openPaymentPage = ({ url }: { url: string }) => location.assign(url)

export function BillingPage() {
  const { team } = useSession()
  const isOwner = useIsOwner()
  return (
    <Page title="Billing" description={`The team is on the ${team.plan} plan.`}>
      <OwnersOnly what="see and change billing" />
      {isOwner && <Loaded query={queries.billing}>{(status) => <BillingPanel status={status} />}</Loaded>}
    </Page>
  )
}

function BillingPanel({ status }: { status: Outputs['billing']['status'] }) {
  const checkout = useAction(() => trpc.billing.checkout.mutate(), { onDone: openPaymentPage })
  const portal = useAction(() => trpc.billing.portal.mutate(), { onDone: openPaymentPage })
  const failure = checkout.failure ?? portal.failure
  if (!status.isAvailable) {
    return (
      <Panel>
        <p>Billing is not set up on this server. Its administrator sets the plan of each team.</p>
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
          <Button variant="primary" isBusy={checkout.isRunning} onClick={() => checkout.run()}>
            Upgrade to Pro
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
