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
  for (const { id, codes, ...body } of await store.beginnings(view, ids)) {
    previews.push({ id, text: previewOf(body), code: codes[0]?.value ?? null })
    // The text of HTML takes up to 2 ms.
    if (body.html !== null) await yieldToEventLoop()
  }
  return previews
}
