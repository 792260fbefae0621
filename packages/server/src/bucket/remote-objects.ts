import { inGroups } from '../domain/in-groups.ts'
import { reasonOf } from '../domain/reason.ts'
import { adminMessagePath } from '../domain/admin-path.ts'
import type { MessageLocation } from '../domain/object-keys.ts'
import type { StoredObject } from './bucket.ts'
import { ObjectsUnreachable, type MessageObjects } from './message-objects.ts'

/** Concurrent deletions. A batch is 100 messages, and the worker deletes one in a few milliseconds. */
const REMOVE_AT_ONCE_MAX = 8
const REMOVE_MS_MAX = 10_000
/** Enough for 25 MiB over a slow connection. */
const RAW_MS_MAX = 60_000
/** Backoff after a failure: large deletions come in many batches, and each would wait for the timeout. */
const BACKOFF_MS = 5_000

type Options = { url: string; token: string; now: () => number }

/** The stored objects of messages in the bucket of another worker, accessed through its admin API. */
export function remoteObjects({ url, token, now }: Options): MessageObjects {
  let retryAt = 0

  /** Null if the worker says that the message does not exist. */
  async function call(method: 'GET' | 'DELETE', path: string, milliseconds: number): Promise<Response | null> {
    // A compressed response would not have the declared length.
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' }
    const signal = AbortSignal.timeout(milliseconds)
    try {
      const response = await fetch(`${url}${path}`, { method, headers, signal, redirect: 'manual' })
      if (response.ok) return response
      const code = await codeOf(response)
      // A 404 from another server at this URL says nothing about the message.
      if (response.status === 404 && code === 'message_not_found') return null
      throw new Error(`it responded with ${response.status} ${code ?? ''}`.trim())
    } catch (error) {
      throw new ObjectsUnreachable(`The worker at ${url} failed: ${reasonOf(error)}`, { cause: error })
    }
  }

  async function removeOne(message: MessageLocation): Promise<void> {
    const response = await call('DELETE', adminMessagePath(message), REMOVE_MS_MAX)
    await response?.body?.cancel()
  }

  return {
    async raw(message) {
      const response = await call('GET', adminMessagePath(message, '/raw'), RAW_MS_MAX)
      return response && storedObject(response)
    },

    async remove(messages) {
      if (now() < retryAt) throw new ObjectsUnreachable(`The worker at ${url} failed recently.`)
      try {
        await inGroups(messages, REMOVE_AT_ONCE_MAX, removeOne)
      } catch (error) {
        retryAt = now() + BACKOFF_MS
        throw error
      }
    },
  }
}

async function storedObject(response: Response): Promise<StoredObject> {
  const length = response.headers.get('content-length')
  if (length !== null && response.body) return { size: Number(length), stream: response.body }
  // A proxy removed the length from the response. Mail is small enough to buffer.
  const blob = await response.blob()
  return { size: blob.size, stream: blob.stream() }
}

async function codeOf(response: Response): Promise<string | null> {
  const body: unknown = await response.json().catch(() => null)
  return typeof body === 'object' && body && 'code' in body ? String(body.code) : null
}
