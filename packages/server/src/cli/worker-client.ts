import { ConfigError, readConfig } from '../program/config.ts'
import { AppError, ERROR_STATUS, type ErrorCode } from '../domain/errors.ts'

/** A retry of many messages takes up to half a minute; a proxy in between may add to it. */
const ANSWER_MS_MAX = 60_000

type RequestOptions = { method?: 'GET' | 'POST'; query?: Record<string, string | undefined>; body?: object }

export type WorkerClient = {
  url: string
  /** Resolves to the JSON of the response; throws the worker's error if it refuses. */
  request<Answer>(path: string, options?: RequestOptions): Promise<Answer>
}

/** A client for the admin API of the worker at WORKER_URL. */
export function connectWorker(): WorkerClient {
  const { workerUrl: url, adminToken: token } = readConfig('command')
  if (!url || !token) {
    const missing = [
      ...(url ? [] : ['WORKER_URL: is required, the URL of the worker, such as http://localhost:3005']),
      ...(token ? [] : ['ADMIN_TOKEN: is required, the same as for the worker']),
    ]
    throw new ConfigError(missing)
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  return {
    url,
    async request<Answer>(path: string, { method = 'GET', query = {}, body }: RequestOptions = {}) {
      const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
      const address = `${url}${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
      const signal = AbortSignal.timeout(ANSWER_MS_MAX)
      const init = { method, headers, signal, body: body ? JSON.stringify(body) : null }
      const response = await fetch(address, init).catch((error: unknown) => {
        throw new Error(`The worker at ${url} is unreachable.`, { cause: error })
      })
      const answer: unknown = await response.json().catch(() => null)
      if (!response.ok) throw explain(url, response.status, answer)
      if (answer === null) throw new Error(`The server at ${url} is not a Mailhatch worker.`)
      // The caller declares the response type of the route.
      return answer as Answer
    },
  }
}

function explain(url: string, status: number, answer: unknown): Error {
  if (status === 401) return new AppError('unauthorized', `The worker at ${url} has a different ADMIN_TOKEN, or none.`)
  if (typeof answer !== 'object' || answer === null || !('error' in answer) || !('code' in answer)) {
    return new Error(`The server at ${url} is not a Mailhatch worker: it responded with ${status}.`)
  }
  const { error, code } = answer
  return isErrorCode(code) ? new AppError(code, String(error)) : new Error(String(error))
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_STATUS, code)
}
