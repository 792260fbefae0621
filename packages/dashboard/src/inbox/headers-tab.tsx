import type { Header, MessageDetail } from '@mailhatch/sdk'
import { useState } from 'react'
import { Badge } from '../ui/badge.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { TextField } from '../ui/field.tsx'
import { AttemptsOf } from './attempts.tsx'
import { useMailSource } from './mail-source.ts'
import { visibleText } from './safe-text.ts'
import { SmtpSession } from './smtp-session.tsx'

export function HeadersTab({ message }: { message: MessageDetail }) {
  const { headers, envelope, mailboxWithTag, domain } = message
  const { isInbox } = useMailSource()
  const [wanted, setWanted] = useState('')
  const needle = wanted.toLowerCase()
  const shown = headers.filter(({ name, value }) => `${name}: ${value}`.toLowerCase().includes(needle))
  const verdicts = authenticationOf(headers)
  return (
    <div className="space-y-3 p-4">
      <SmtpSession envelope={envelope} />
      {isInbox && <AttemptsOf address={`${mailboxWithTag}@${domain}`} />}
      {verdicts.length > 0 && (
        <p className="flex flex-wrap items-center gap-1.5 text-sm">
          Authentication:
          {verdicts.map(({ method, result }) => (
            <Badge key={method} tone={result === 'pass' ? 'good' : result === 'fail' ? 'danger' : 'warn'}>
              {method} {result}
            </Badge>
          ))}
        </p>
      )}
      <div className="flex items-end gap-2">
        <TextField
          label="Filter headers"
          type="search"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
          className="grow"
        />
        <CopyButton text={headers.map(({ name, value }) => `${name}: ${value}`).join('\n')} label="Copy all" />
      </div>
      <table className="w-full table-fixed text-sm">
        <caption className="sr-only">Headers, in original order</caption>
        {/* On a phone the name is above the value, both at full width. */}
        <colgroup className="max-sm:hidden">
          <col className="w-44" />
          <col />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ name, value }, index) => (
            <tr key={index} className="border-t border-line align-top max-sm:block max-sm:py-1.5">
              <th scope="row" className="py-1.5 pr-3 text-left font-medium max-sm:block max-sm:w-full max-sm:py-0">
                {visibleText(name)}
              </th>
              <td className="break-words py-1.5 font-mono text-xs/5 max-sm:block max-sm:py-0">
                <bdi>{visibleText(value)}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p className="text-sm text-quiet">No header matches.</p>}
    </div>
  )
}

/** Results of SPF, DKIM, DMARC and ARC from the Authentication-Results header (RFC 8601). */
function authenticationOf(headers: Header[]): { method: string; result: string }[] {
  const found = headers.find(({ name }) => name.toLowerCase() === 'authentication-results')?.value ?? ''
  const verdicts = Array.from(found.matchAll(/\b(spf|dkim|dmarc|arc)=(\w+)/gi), ([, method = '', result = '']) => ({
    method: method.toUpperCase(),
    result: result.toLowerCase(),
  }))
  return verdicts.filter(({ method }, index) => verdicts.findIndex((other) => other.method === method) === index)
}
