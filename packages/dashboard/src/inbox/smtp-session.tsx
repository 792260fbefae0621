import type { Envelope } from '@mailhatch/sdk'
import type { ReactNode } from 'react'
import { visibleText } from './safe-text.ts'

/** Names of the known ways in; others are shown as received. */
const RECEIVED_VIA: Record<string, string> = {
  smtp: 'SMTP',
  cloudflare: 'Cloudflare Email Routing',
  sample: 'the “Send a test mail” button',
}

/** The SMTP envelope as the server recorded it. The headers may claim something else. */
export function SmtpSession({ envelope }: { envelope: Envelope | null }) {
  if (!envelope) return <p className="text-sm text-quiet">No SMTP session was recorded for this message.</p>
  const { mailFrom, rcptTo, helo, remoteAddress, tls, receivedVia } = envelope
  return (
    <section aria-labelledby="smtp-session" className="space-y-1 text-sm">
      <h3 id="smtp-session" className="font-medium">
        SMTP session
      </h3>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 [&_dt]:text-quiet">
        <Fact name="Received via">{RECEIVED_VIA[receivedVia] ?? visibleText(receivedVia)}</Fact>
        <Fact name="Envelope sender">{mailFrom === '' ? 'none (as in bounces)' : visibleText(mailFrom)}</Fact>
        <Fact name="Recipient">{visibleText(rcptTo)}</Fact>
        {helo !== null && <Fact name="Client name (HELO)">{visibleText(helo)}</Fact>}
        {remoteAddress !== null && <Fact name="Client address">{visibleText(remoteAddress)}</Fact>}
        {/* Only the SMTP listener knows whether TLS was used. */}
        {receivedVia === 'smtp' && <Fact name="Encryption">{tls ? 'TLS' : 'none'}</Fact>}
      </dl>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="min-w-0 break-all">
        <bdi>{children}</bdi>
      </dd>
    </>
  )
}
