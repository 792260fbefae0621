import type { MessageDetail } from '@mailhatch/sdk'
import { queryOptions } from '@tanstack/react-query'
import { RouteError } from '../api/failure.ts'
import { serverPath } from '../base-path.ts'
import { buttonClass } from '../ui/button.tsx'
import { CodeView } from '../ui/code-view.tsx'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { breakRuns } from './safe-text.ts'

/** More text slows the browser down. The download has all of it. */
const SHOWN_BYTES_MAX = 512 * 1024

export function rawPath(id: string): string {
  return serverPath(`/app/messages/${encodeURIComponent(id)}/raw`)
}

export function RawTab({ message: { id } }: { message: MessageDetail }) {
  return (
    <div className="space-y-3 p-4">
      <a href={rawPath(id)} download={`${id}.eml`} className={buttonClass('plain', 'print:hidden')}>
        <Icon name="down" size={14} /> Download .eml
      </a>
      <Loaded query={rawQuery(id)}>
        {({ text, isCut }) => (
          <>
            <CodeView label="Raw message" code={text}>
              {breakRuns(text)}
            </CodeView>
            {isCut && <p className="text-sm text-quiet">Cut here. Download the file to see the rest.</p>}
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
    // The server's error shape; a proxy may respond with another one.
    const answer = (await response.json().catch(() => ({}))) as { error?: string; code?: string }
    const message = answer.error ?? `The server responded with ${response.status}.`
    throw new RouteError({ message, code: answer.code ?? 'internal', requestId, details: {} })
  }
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { text: new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES_MAX)), isCut: bytes.length > SHOWN_BYTES_MAX }
}
