import { DIRECT_BYTES_MAX } from '../../mime/mail-parser.ts'
import { whileConnected } from '../../http/view.ts'
import type { PeerContext } from '../caller.ts'
import type { DoorPorts } from '../door.ts'
import type { WholeMail } from '../mails.ts'
import { createTurns, type Turns } from '../turns.ts'
import { jsonPieces } from './json-pieces.ts'
import { presentMail } from './present.ts'
import { readMail } from './read-mail.ts'

/** Large mail written at once, one of each key. Each is in memory until its client has it: about 50 MB. */
const LARGE_AT_ONCE_MAX = 4
/** Responses that wait to write a large mail. More get 503 and should retry. */
const LARGE_WAITING_MAX = 200
const LARGE_WAITING_PER_KEY_MAX = 50
/** A client that takes longer for one large mail is disconnected, because others wait. */
const LARGE_MS_MAX = 2 * 60_000

export type MailWriter = {
  /** JSON in pieces: that of a list may be larger than the memory. */
  write(context: PeerContext, mail: WholeMail): AsyncGenerator<string, void>
  /** For other work with large mail. */
  inLargeTurn: Turns
}

export function isLarge({ size }: WholeMail): boolean {
  return size === null || size > DIRECT_BYTES_MAX
}

export function createMailWriter({ messages }: Pick<DoorPorts, 'messages'>): MailWriter {
  const inLargeTurn = createTurns({
    atOnceMax: LARGE_AT_ONCE_MAX,
    waitingMax: LARGE_WAITING_MAX,
    waitingPerKeyMax: LARGE_WAITING_PER_KEY_MAX,
    busy: 'Too many requests for large mail are waiting. Retry.',
  })

  async function* piecesOf(mail: WholeMail): AsyncGenerator<string, void> {
    yield* jsonPieces(presentMail(mail, await readMail(messages, mail)))
  }

  async function* write(context: PeerContext, mail: WholeMail): AsyncGenerator<string, void> {
    if (!isLarge(mail)) return yield* piecesOf(mail)
    const [turn, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { outgoing } = context.env ?? {}
    const work = () => {
      turn.resolve()
      return written.promise
    }
    const ending = inLargeTurn(context.var.principal.keyId, work, whileConnected(outgoing))
    // A refused turn throws, and one that was given ends with the text.
    await Promise.race([turn.promise, ending])
    const deadline = setTimeout(() => outgoing?.destroy(), LARGE_MS_MAX)
    try {
      if (!outgoing?.destroyed) yield* piecesOf(mail)
    } finally {
      clearTimeout(deadline)
      written.resolve()
    }
  }

  return { write, inLargeTurn }
}

/** Responds with JSON that is written as the client reads it. Its first piece is made before, so that an error has its own status. */
export async function sendPieces(
  context: PeerContext,
  pieces: AsyncGenerator<string, void>,
  contentType: string,
): Promise<Response> {
  const first = await pieces.next()
  const { outgoing } = context.env ?? {}
  const drop = () => void pieces.return()
  if (context.req.method === 'HEAD' || outgoing?.destroyed) drop()
  else outgoing?.once('close', drop)
  let next = first
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (next.done) return controller.close()
        controller.enqueue(Buffer.from(next.value))
        next = await pieces.next()
        if (next.done) controller.close()
      },
      cancel: drop,
    },
    { highWaterMark: 0 },
  )
  return context.body(stream, 200, { 'content-type': contentType })
}
