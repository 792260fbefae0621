import type { MessageSummary } from '@mailhatch/sdk'
import { expect, vi } from 'vitest'
import { openEvents } from '../support/event-stream.ts'
import type { Replicas } from './replicas.ts'

/** Ends the connections that listen for notifications. */
export const END_LISTENERS = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where application_name like 'mailhatch % feed' and datname = current_database()`

/** Cuts the connection for notifications while everything else continues. */
export const TELL_NOTHING = `
  create schema deaf;
  create function deaf.pg_notify(text, text) returns void language sql as '';
  do $$ begin
    execute format('alter database %I set search_path = deaf, pg_catalog, public', current_database());
  end $$;
  ${END_LISTENERS}`

/** Undoes `TELL_NOTHING`. */
export const TELL_AGAIN = `
  do $$ begin
    execute format('alter database %I reset search_path', current_database());
  end $$;
  drop schema deaf cascade;
  ${END_LISTENERS}`

/** A wait and a stream on the first replica. Resolves to how soon both received an announcement to the second. */
export async function timeToHear({ urls, key, get, announce }: Replicas, tag: string): Promise<number> {
  const stream = await openEvents(`${urls[0]}/v1/messages/stream?tag=${tag}`, { key })
  const waiting = get(urls[0]!, `/v1/messages/latest?tag=${tag}&wait=30`)
  // The same process responds after the wait started, so the wait is held by now.
  await get(urls[0]!, '/v1/me')
  const announcedAt = performance.now()
  const stored = await announce(urls[1]!, { tag, mailbox: 'qa' })
  expect(stored.body).toMatchObject({ status: 'stored' })
  const { status, body } = await waiting
  expect([status, (body as { data?: MessageSummary }).data?.tag]).toEqual([200, tag])
  await vi.waitFor(() => expect(stream.messages.map((message) => message.tag)).toEqual([tag]), { interval: 5 })
  stream.destroy()
  return performance.now() - announcedAt
}
