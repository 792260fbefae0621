import { ConfigError, readConfig } from '../config.ts'
import { AppError, ERROR_STATUS, type ErrorCode } from '../domain/errors.ts'

/** A retry of many messages answers within half a minute; a proxy in between may add to it. */
const ANSWER_MS_MAX = 60_000

type Question = { method?: 'GET' | 'POST'; query?: Record<string, string | undefined>; body?: object }

export type WorkerClient = {
  url: string
  /** The answer's JSON; throws with what the worker says when it refuses. */
  ask<Answer>(path: string, question?: Question): Promise<Answer>
}

/** Talks to the admin API of the worker at WORKER_URL. */
export function connectWorker(): WorkerClient {
  const { workerUrl: url, adminToken: token } = readConfig('api')
  if (!url || !token) {
    const missing = [
      ...(url ? [] : ['WORKER_URL: is needed, the address of the worker, such as http://localhost:3005']),
      ...(token ? [] : ['ADMIN_TOKEN: is needed, the one that the worker was started with']),
    ]
    throw new ConfigError(missing)
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  return {
    url,
    async ask<Answer>(path: string, { method = 'GET', query = {}, body }: Question = {}) {
      const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
      const address = `${url}${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
      const signal = AbortSignal.timeout(ANSWER_MS_MAX)
      const request = { method, headers, signal, body: body ? JSON.stringify(body) : null }
      const response = await fetch(address, request).catch((error: unknown) => {
        throw new Error(`The worker at ${url} cannot be reached.`, { cause: error })
      })
      const answer: unknown = await response.json().catch(() => null)
      if (!response.ok) throw explain(url, response.status, answer)
      if (answer === null) throw new Error(`What answers at ${url} is not a Mailhatch worker.`)
      // Our own worker's answer to this route.
      return answer as Answer
    },
  }
}

function explain(url: string, status: number, answer: unknown): Error {
  if (status === 401) return new AppError('unauthorized', `The worker at ${url} has another ADMIN_TOKEN, or none.`)
  if (typeof answer !== 'object' || answer === null || !('error' in answer) || !('code' in answer)) {
    return new Error(`What answers at ${url} is not a Mailhatch worker: it answered ${status}.`)
  }
  const { error, code } = answer
  return isErrorCode(code) ? new AppError(code, String(error)) : new Error(String(error))
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_STATUS, code)
}
