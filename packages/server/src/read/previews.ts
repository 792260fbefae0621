import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { previewOf } from '../domain/preview.ts'
import type { View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'

/** What a list shows of a message in addition to its summary: the first words and the likeliest code. */
export type MessagePreview = { id: string; text: string; code: string | null }

/** Apart from the list, because it reads bodies. Ids outside the view are left out. */
export async function readPreviews(
  store: Pick<Store, 'beginnings'>,
  view: View,
  ids: string[],
): Promise<MessagePreview[]> {
  const previews: MessagePreview[] = []
  for (const message of await store.beginnings(view, ids)) {
    previews.push(asPreview(message))
    // The text of HTML takes up to 2 ms.
    if (message.html !== null) await yieldToEventLoop()
  }
  return previews
}

type Previewed = { id: string; text: string | null; html: string | null; codes: { value: string }[] }

export function asPreview({ id, codes, ...body }: Previewed): MessagePreview {
  return { id, text: previewOf(body), code: codes[0]?.value ?? null }
}
