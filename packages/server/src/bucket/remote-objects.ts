import { adminMessagePath } from '../domain/admin-path.ts'
import type { StoredMessage } from '../domain/object-keys.ts'
import type { StoredObject } from './bucket.ts'
import { ObjectsUnreachable, type MessageObjects } from './message-objects.ts'

/** Removals at once: a batch is 100 messages, and the worker removes one in some milliseconds. */
const REMOVE_AT_ONCE_MAX = 8
const REMOVE_MS_MAX = 10_000
/** For 25 MiB over a slow line. */
const RAW_MS_MAX = 60_000
/** After a failure nobody waits for the next one: large removals come in many batches. */
const REST_MS = 5_000

type Options = { url: string; token: string; now: () => number }

/** The stored objects of messages in the bucket of a worker elsewhere, by its admin API. */
export function remoteObjects({ url, token, now }: Options): MessageObjects {
  let restingUntil = 0

  /** Null where the worker says that there is no such message. */
  async function ask(method: 'GET' | 'DELETE', path: string, milliseconds: number): Promise<Response | null> {
    // As it is: a compressed answer would not have the length that it declares.
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' }
    const signal = AbortSignal.timeout(milliseconds)
    try {
      const response = await fetch(`${url}${path}`, { method, headers, signal, redirect: 'manual' })
      if (response.ok) return response
      const code = await codeOf(response)
      // A 404 of something else at this address says nothing about the message.
      if (response.status === 404 && code === 'message_not_found') return null
      throw new Error(`it answered ${response.status} ${code ?? ''}`.trim())
    } catch (error) {
      throw new ObjectsUnreachable(`The worker at ${url} did not do its part: ${reasonOf(error)}`, { cause: error })
    }
  }

  async function removeOne(message: StoredMessage): Promise<void> {
    const response = await ask('DELETE', adminMessagePath(message), REMOVE_MS_MAX)
    await response?.body?.cancel()
  }

  return {
    async raw(message) {
      const response = await ask('GET', adminMessagePath(message, '/raw'), RAW_MS_MAX)
      return response && storedObject(response)
    },

    async remove(messages) {
      if (now() < restingUntil) throw new ObjectsUnreachable(`The worker at ${url} failed a moment ago.`)
      try {
        for (let start = 0; start < messages.length; start += REMOVE_AT_ONCE_MAX) {
          await Promise.all(messages.slice(start, start + REMOVE_AT_ONCE_MAX).map(removeOne))
        }
      } catch (error) {
        restingUntil = now() + REST_MS
        throw error
      }
    },
  }
}

async function storedObject(response: Response): Promise<StoredObject> {
  const length = response.headers.get('content-length')
  if (length !== null && response.body) return { size: Number(length), stream: response.body }
  // Something on the way has taken the length from the answer; mail is small enough to count.
  const blob = await response.blob()
  return { size: blob.size, stream: blob.stream() }
}

async function codeOf(response: Response): Promise<string | null> {
  const body: unknown = await response.json().catch(() => null)
  return typeof body === 'object' && body && 'code' in body ? String(body.code) : null
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // fetch hides what went wrong in `cause`.
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
