import { madeSecretsIn } from './made-secrets.ts'

export type ProcedureType = 'query' | 'mutation' | 'subscription'

type Call = {
  path: string
  type: ProcedureType
  input?: object | undefined
  headers: Record<string, string>
}

type Refusal = { message: string; data: { errorCode: string; httpStatus: number } }
type Envelope = { error?: Refusal }

/** One raw call: its status, `ok` or the stable code, the text of a refusal, and the whole answer. */
export async function callProcedure(url: string, { path, type, input, headers }: Call) {
  const address = `${url}/trpc/${path}`
  if (type === 'mutation') {
    const body = JSON.stringify(input ?? {})
    const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    return read(await fetch(address, sent))
  }
  const query = input ? `?input=${encodeURIComponent(JSON.stringify(input))}` : ''
  if (type === 'query') return read(await fetch(address + query, { headers }))
  return readFirst(await fetch(address + query, { headers: { ...headers, accept: 'text/event-stream' } }))
}

/** The first event with data. A refusal is one too, in a stream whose status is always 200. */
async function readFirst(response: Response) {
  for await (const { event, data } of readEvents(response)) {
    if (event === 'connected' || event === 'ping') continue
    if (event !== 'serialized-error') return { status: response.status, code: 'ok', message: null, text: data }
    // As in every other response.
    const error = JSON.parse(data) as Refusal
    return { status: error.data.httpStatus, code: error.data.errorCode, message: error.message, text: data }
  }
  throw new Error('The stream ended without a word.')
}

export type StreamEvent = { event: string; id: string | null; data: string }

/** The events of a subscription; leaving the loop closes the connection. */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? null
      if (block.trim() !== '') yield { event: field('event') ?? 'message', id: field('id'), data: field('data') ?? '' }
    }
  }
}

async function read(response: Response) {
  const text = await response.text()
  madeSecretsIn(text)
  // Whatever failed, the envelope is tRPC's.
  const { error } = JSON.parse(text) as Envelope
  return { status: response.status, code: error?.data.errorCode ?? 'ok', message: error?.message ?? null, text }
}
