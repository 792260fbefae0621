import { request } from 'node:http'
import type { R2Bucket } from '@cloudflare/workers-types'
import { failingStream, isLate, takeStep, type Fault, type FaultSource } from './step-faults.ts'

type Fetch = (url: URL, init: RequestInit) => Promise<Response>

/** Requests that fail on demand: `cut` breaks the connection, other kinds are a status and S3's code, such as `409 Busy`. */
export function faultyFetch(doFetch: Fetch, faultOf: FaultSource): Fetch {
  return async (url, init) => {
    const fault = faultOf(`${init.method} ${url.pathname}${url.search}`)
    if (fault?.when === 'half' && init.method === 'GET') return brokenOff(await doFetch(url, init), fault)
    // A late request is no longer stopped by a client that has given up: the network delivers it later.
    const sent = fault && isLate(fault) ? { ...init, signal: null } : init
    try {
      return await givenUp(
        init,
        takeStep({
          fault,
          take: () => doFetch(url, sent),
          half: () => sendHalf(url, init),
          fail: connectionLost,
          drop: (response) => response.arrayBuffer(),
        }),
      )
    } catch (error) {
      const [status, code] = fault?.kind.split(' ') ?? []
      if (!status || !code || (fault && isLate(fault))) throw error
      return new Response(`<Error><Code>${code}</Code></Error>`, { status: Number(status) })
    }
  }
}

function connectionLost(kind: string): Error {
  return new TypeError('fetch failed', { cause: new Error(kind) })
}

/** Rejects when the client no longer waits, whatever becomes of the request. */
async function givenUp(init: RequestInit, response: Promise<Response>): Promise<Response> {
  const { signal } = init
  const over = Promise.withResolvers<never>()
  const end = () => over.reject(signal!.reason)
  signal?.addEventListener('abort', end)
  try {
    return await Promise.race([response, over.promise])
  } finally {
    signal?.removeEventListener('abort', end)
    response.catch(() => {})
  }
}

function brokenOff(response: Response, fault: Fault): Response {
  const { status, headers } = response
  return new Response(failingStream(response.body!, fault, connectionLost), { status, headers })
}

/** Sends half of the body, then closes the connection. */
async function sendHalf(url: URL, init: RequestInit): Promise<void> {
  const body = init.body as Uint8Array | undefined
  if (!body) return
  const headers = { ...Object.fromEntries(new Headers(init.headers)), 'content-length': String(body.byteLength) }
  const sending = request(url, { method: init.method!, headers, agent: false })
  const closed = new Promise((resolve) => sending.on('error', () => {}).on('close', resolve))
  sending.write(body.subarray(0, body.byteLength / 2), () => sending.destroy())
  await closed
}

/** A binding whose calls fail on demand: the kind is R2's code, or `cut`. */
export function faultyBinding(binding: Partial<R2Bucket>, faultOf: FaultSource): R2Bucket {
  function watch<Parts extends object>(parts: Parts, of = ''): Parts {
    return new Proxy(parts, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return async (...args: unknown[]) => {
          const call = `${of}${String(name)}`
          const fault = faultOf(`${call} ${typeof args[0] === 'string' ? args[0] : ''}`)
          const take = async () => Reflect.apply(method, target, args) as unknown
          const fail = (kind: string) =>
            new Error(kind === 'cut' ? 'Network connection lost.' : `${call}: as asked. (${kind})`)
          if (name === 'get' && fault?.when === 'half') return halfRead(await take(), fault, fail)
          const result: unknown = await takeStep({ fault, take, fail })
          return name === 'createMultipartUpload' ? watch(result as object, 'upload ') : result
        }
      },
    })
  }
  // The bucket uses only these methods of the binding.
  return watch(binding) as R2Bucket
}

/** An object, as far as the bucket uses it, whose body breaks off. */
function halfRead(result: unknown, fault: Fault, fail: (kind: string) => Error) {
  const object = result as { size: number; body: ReadableStream<Uint8Array> } | null
  return object && { size: object.size, body: failingStream(object.body, fault, fail) }
}
