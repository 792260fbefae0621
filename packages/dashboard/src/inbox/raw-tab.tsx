import type { MessageDetail } from '@mailhatch/sdk'
import { queryOptions } from '@tanstack/react-query'
import { RouteError } from '../api/failure.ts'
import { serverPath } from '../base-path.ts'
import { buttonClass } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'

/** A browser grows slow with more; the file has everything. */
const SHOWN_BYTES_MAX = 512 * 1024

export function rawPath(id: string): string {
  return serverPath(`/app/messages/${encodeURIComponent(id)}/raw`)
}

export function RawTab({ message: { id } }: { message: MessageDetail }) {
  return (
    <div className="space-y-3 p-4">
      <a href={rawPath(id)} download={`${id}.eml`} className={buttonClass('plain')}>
        <Icon name="down" size={14} /> Download .eml
      </a>
      <Loaded query={rawQuery(id)}>
        {({ text, isCut }) => (
          <>
            <pre tabIndex={0} className="whitespace-pre-wrap break-all font-mono text-xs/relaxed">
              {text}
            </pre>
            {isCut && <p className="text-sm text-quiet">The rest is in the file.</p>}
          </>
        )}
      </Loaded>
    </div>
  )
}

function rawQuery(id: string) {
  return queryOptions({ queryKey: ['raw', id], queryFn: () => readRaw(id), staleTime: Infinity })
}

async function readRaw(id: string): Promise<{ text: string; isCut: boolean }> {
  const response = await fetch(rawPath(id))
  if (!response.ok) {
    const requestId = response.headers.get('x-request-id')
    // The shape of every failure; a proxy's may be another.
    const answer = (await response.json().catch(() => ({}))) as { error?: string; code?: string }
    const message = answer.error ?? `The server answered with ${response.status}.`
    throw new RouteError({ message, code: answer.code ?? 'internal', requestId, details: {} })
  }
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { text: new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES_MAX)), isCut: bytes.length > SHOWN_BYTES_MAX }
}
