import { Badge } from '../ui/badge.tsx'
import type { Endpoint } from './webhooks-page.tsx'

/** Whether the endpoint is active. Mailhatch disables one that keeps failing, with a reason. */
export function EndpointState({ endpoint: { active, disabledReason } }: { endpoint: Endpoint }) {
  if (active) return <Badge tone="good">active</Badge>
  return (
    <>
      <Badge tone={disabledReason ? 'danger' : 'neutral'}>disabled</Badge>
      {disabledReason && <p className="mt-0.5 text-xs text-danger">{disabledReason}</p>}
    </>
  )
}
