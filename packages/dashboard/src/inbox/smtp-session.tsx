import type { Envelope } from '@mailhatch/sdk'
import type { ReactNode } from 'react'
import { visibleText } from './safe-text.ts'

/** What the doors of the server are called; others are shown as they call themselves. */
const WAYS: Record<string, string> = {
  smtp: 'SMTP',
  cloudflare: 'Cloudflare Email Routing',
  sample: 'the button for a test mail',
}

/** How the mail came in, which its headers need not tell truly. */
export function SmtpSession({ envelope }: { envelope: Envelope | null }) {
  if (!envelope) return <p className="text-sm text-quiet">How this mail came in was not recorded.</p>
  const { mailFrom, rcptTo, helo, remoteAddress, tls, receivedVia } = envelope
  return (
    <section aria-labelledby="how-it-came" className="space-y-1 text-sm">
      <h3 id="how-it-came" className="font-medium">
        How it came in
      </h3>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 [&_dt]:text-quiet">
        <Fact name="Received by">{WAYS[receivedVia] ?? visibleText(receivedVia)}</Fact>
        <Fact name="Envelope sender">{mailFrom === '' ? 'none, as in bounces' : visibleText(mailFrom)}</Fact>
        <Fact name="Recipient">{visibleText(rcptTo)}</Fact>
        {helo !== null && <Fact name="Client calls itself">{visibleText(helo)}</Fact>}
        {remoteAddress !== null && <Fact name="Client address">{visibleText(remoteAddress)}</Fact>}
        {/* Elsewhere nobody knows. */}
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
