import { Badge } from '../ui/badge.tsx'
import type { Endpoint } from './webhooks-page.tsx'

/** Switched off by someone, or by what the endpoint answered. */
export function EndpointState({ endpoint: { active, disabledReason } }: { endpoint: Endpoint }) {
  if (active) return <Badge tone="good">active</Badge>
  return (
    <>
      <Badge tone={disabledReason ? 'danger' : 'neutral'}>off</Badge>
      {disabledReason && <p className="mt-0.5 text-xs text-danger">{disabledReason}</p>}
    </>
  )
}
