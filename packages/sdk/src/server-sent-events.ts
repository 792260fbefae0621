export type ServerSentEvent = { event: string; data: string; id: string }

/** An event has a few kilobytes; a longer line is not an event stream. */
const LINE_CHARACTERS_MAX = 1_048_576

/** Parses events from a stream as they arrive. */
export async function* serverSentEvents(body: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
  let unread = ''
  let fields: Record<string, string> = {}
  for await (const chunk of body) {
    const lines = (unread + chunk).split(/\r\n|\n/)
    unread = lines.pop()!
    if (unread.length > LINE_CHARACTERS_MAX) throw new Error('A line of the event stream is too long.')
    for (const line of lines) {
      if (line !== '') {
        const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line)!
        fields[name!] = value!
      } else if (fields['data'] !== undefined) {
        yield { event: fields['event'] ?? 'message', data: fields['data'], id: fields['id'] ?? '' }
        fields = {}
      }
    }
  }
}
