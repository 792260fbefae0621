import type { R2Bucket } from '@cloudflare/workers-types'
import { takeStep, type FaultSource } from './step-faults.ts'

type Fetch = (url: URL, init: RequestInit) => Promise<Response>

/** Requests that fail on demand: `cut` breaks the connection, other kinds are a status and S3's code, such as `409 Busy`. */
export function faultyFetch(doFetch: Fetch, faultOf: FaultSource): Fetch {
  return async (url, init) => {
    const fault = faultOf(`${init.method} ${url.pathname}`)
    try {
      return await takeStep({
        fault,
        take: () => doFetch(url, init),
        fail: (kind) => new TypeError('fetch failed', { cause: new Error(kind) }),
        drop: (response) => response.arrayBuffer(),
      })
    } catch (error) {
      const [status, code] = fault?.kind.split(' ') ?? []
      if (!status || !code) throw error
      return new Response(`<Error><Code>${code}</Code></Error>`, { status: Number(status) })
    }
  }
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
          const result: unknown = await takeStep({
            fault: faultOf(`${call} ${typeof args[0] === 'string' ? args[0] : ''}`),
            take: async () => Reflect.apply(method, target, args) as unknown,
            fail: (kind) => new Error(kind === 'cut' ? 'Network connection lost.' : `${call}: as asked. (${kind})`),
          })
          return name === 'createMultipartUpload' ? watch(result as object, 'upload ') : result
        }
      },
    })
  }
  // The bucket uses only these methods of the binding.
  return watch(binding) as R2Bucket
}
