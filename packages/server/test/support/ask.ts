import type { ErrorBody, Me, MessageDetail, MessagePage } from '@mailhatch/sdk'
import { expect } from 'vitest'
import { expectDocumented } from './documented.ts'
import { madeSecretsIn } from './made-secrets.ts'

export type Answer<Body> = { status: number; headers: Headers; body: Body }

/** A query string, or names and values to be escaped. */
export type Query = string | Record<string, string | number>

type Question = { key?: string | undefined; method?: string; headers?: Record<string, string>; body?: string }

/** One request with only the key added. Every response is JSON and matches the API's document. */
export async function ask<Body = ErrorBody>(url: string, question: Question = {}): Promise<Answer<Body>> {
  const { key, method = 'GET', headers = {}, body } = question
  const credentials: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const response = await fetch(url, { method, headers: { ...credentials, ...headers }, ...(body ? { body } : {}) })
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  const text = await response.text()
  madeSecretsIn(text)
  // The test checks the shape.
  const answer = { status: response.status, headers: response.headers, body: JSON.parse(text) as Body }
  expectDocumented(method, url, answer)
  return answer
}

/** The reading routes as one key sees them. Methods that return a body expect a 200; the others leave the status to the test. */
export function reader(url: string, key: string) {
  const get = <Body = ErrorBody>(path: string, query: Query = '') => ask<Body>(url + path + search(query), { key })
  const succeed = async <Body>(path: string, query: Query = ''): Promise<Body> => {
    const { status, body } = await get<Body>(path, query)
    expect(status, `${path} answered ${JSON.stringify(body)}`).toBe(200)
    return body
  }
  return {
    get,
    list: (query?: Query) => succeed<MessagePage>('/v1/messages', query),
    subjects: async (query?: Query) =>
      (await succeed<MessagePage>('/v1/messages', query)).data.map(({ subject }) => subject),
    latest: (query?: Query) => succeed<{ data: MessageDetail; cursor: string }>('/v1/messages/latest', query),
    read: async (id: string) => (await succeed<{ data: MessageDetail }>(`/v1/messages/${id}`)).data,
    me: async () => (await succeed<{ data: Me }>('/v1/me')).data,
  }
}

export type Reader = ReturnType<typeof reader>

function search(query: Query): string {
  if (typeof query === 'string') return query && `?${query}`
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)])
  return `?${new URLSearchParams(pairs)}`
}
