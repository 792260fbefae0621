export type ServerEvent = { event: string; data: unknown; id: string | null; retry: string | null }

/** Reads server-sent events as they arrive. Ends with the stream. */
export async function* serverEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let buffered = ''
  for await (const bytes of stream) {
    const frames = (buffered + decoder.decode(bytes, { stream: true })).split('\n\n')
    buffered = frames.pop()!
    yield* frames.map(eventOf)
  }
}

function eventOf(frame: string): ServerEvent {
  const fields = new Map(frame.split('\n').map((line) => splitOnce(line, ': ')))
  return {
    event: fields.get('event') ?? 'message',
    data: JSON.parse(fields.get('data') ?? 'null'),
    id: fields.get('id') ?? null,
    retry: fields.get('retry') ?? null,
  }
}

function splitOnce(line: string, separator: string): [string, string] {
  const at = line.indexOf(separator)
  return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + separator.length)]
}
