import type { MessageDetail } from '@mailhatch/sdk'
import { queryOptions } from '@tanstack/react-query'
import { RouteError } from '../api/failure.ts'
import { serverPath } from '../base-path.ts'
import { buttonClass } from '../ui/button.tsx'
import { CodeView } from '../ui/code-view.tsx'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { useMailSource } from './mail-source.ts'
import { breakRuns } from './safe-text.ts'

/** More text slows the browser down. The download has all of it. */
const SHOWN_BYTES_MAX = 512 * 1024

export function RawTab({ message: { id } }: { message: MessageDetail }) {
  const path = serverPath(`${useMailSource().filesPath(id)}/raw`)
  return (
    <div className="space-y-3 p-4">
      <a href={path} download={`${id}.eml`} className={buttonClass('plain', 'print:hidden')}>
        <Icon name="down" size={14} /> Download .eml
      </a>
      <Loaded query={rawQuery(path)}>
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

function rawQuery(path: string) {
  return queryOptions({ queryKey: ['raw', path], queryFn: () => readRaw(path), staleTime: Infinity })
}

async function readRaw(path: string): Promise<{ text: string; isCut: boolean }> {
  const response = await fetch(path)
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
