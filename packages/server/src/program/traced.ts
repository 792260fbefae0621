import { sizeOf } from '../bucket/bucket.ts'
import type { Feed } from '../feed/feed.ts'
import { announceMail } from '../http/routes/inbound.ts'
import type { AcceptAnnouncement } from '../intake/accept-announcement.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import type { AttemptResult, SendAttempt } from '../notify/attempt.ts'
import type { Tracing } from '../observe/tracing.ts'
import type { Store } from '../store/store.ts'
import type { ApiResponse, Post, PostJson } from '../worker/announce.ts'
import type { receive, ReceivePorts } from '../worker/receive.ts'

/** All copies of version 1 of OpenTelemetry's API keep what is registered under this name. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

/** Null unless an SDK was registered before. The API is imported only then, because it would slow down every start. */
export async function openTracing(): Promise<Tracing | null> {
  // Known to every copy of the API, whose types do not show it.
  const { [REGISTERED]: registered } = globalThis as { [REGISTERED]?: { trace?: unknown } }
  if (!registered?.trace) return null
  const { createTracing } = await import('../observe/tracing.ts')
  return createTracing()
}

type Receive = typeof receive

// Each wraps its first argument and records spans; without tracing it returns the argument unchanged.

/** What follows the reply to the sender belongs to the trace of the mail. */
export function tracedReceive(receive: Receive, tracing: Tracing | null): Receive {
  if (!tracing) return receive
  return ({ bucket, announcer, ...ports }, mail) => {
    const attributes = { 'mailhatch.recipients': mail.recipients.length, 'mailhatch.size': sizeOf(mail.raw) }
    const traced: ReceivePorts = {
      ...ports,
      bucket: { put: (...given) => tracing.inSpan('mail.store', {}, () => bucket.put(...given)) },
      announcer: announcer && {
        offer(metadata, parsed) {
          tracing.remember(metadata.id)
          announcer.offer(metadata, parsed)
        },
      },
    }
    const parseEnded = ({ parse }: ParsedMail) => ({ 'mailhatch.outcome': parse })
    const parse = () => tracing.inSpan('mail.parse', { ended: parseEnded }, mail.parse)
    return tracing.inSpan('mail.receive', { attributes }, () => receive(traced, { ...mail, parse }))
  }
}

export function tracedPost(post: Post, tracing: Tracing | null): Post {
  if (!tracing) return post
  return (announcement) => {
    const { id } = announcement
    const ended = ({ status }: ApiResponse) => {
      const isSuccess = status >= 200 && status < 300
      if (isSuccess) tracing.forget(id)
      return statusAttributes(status, isSuccess)
    }
    return tracing.inSpan('mail.announce', { attributes: messageId(id), after: id, ended }, () => post(announcement))
  }
}

/** Takes the trace along to an API in another process. */
export function tracedPostJson(postJson: PostJson, tracing: Tracing | null): PostJson {
  if (!tracing) return postJson
  return (url, post) => postJson(url, { ...post, headers: { ...tracing.headers(), ...post.headers } })
}

type Fetch<Given extends unknown[], Result> = (request: Request, ...given: Given) => Result

/** Continues the trace of a worker in another process, and of no other client. */
export function tracedFetch<Given extends unknown[], Result>(
  fetch: Fetch<Given, Result>,
  tracing: Tracing | null,
): Fetch<Given, Result> {
  if (!tracing) return fetch
  return (request, ...given) =>
    new URL(request.url).pathname.endsWith(announceMail.path)
      ? tracing.within(request.headers, () => fetch(request, ...given))
      : fetch(request, ...given)
}

export function tracedAcceptance(accept: AcceptAnnouncement, tracing: Tracing | null): AcceptAnnouncement {
  if (!tracing) return accept
  const ended = ({ id, status }: { id: string; status: string }) => ({ ...messageId(id), 'mailhatch.outcome': status })
  return (announcement) => tracing.inSpan('mail.intake', { ended }, () => accept(announcement))
}

/** The deliveries of a message belong to its trace, unless another process sends them. */
export function tracedStore(store: Store, tracing: Tracing | null): Store {
  if (!tracing) return store
  return {
    ...store,
    addMessage(mailbox, message, event) {
      if (event) tracing.remember(event.id)
      return tracing.inSpan('message.insert', {}, () => store.addMessage(mailbox, message, event))
    },
    addFirstMessage(mailbox, teamDomain, message, event) {
      if (event) tracing.remember(event.id)
      return tracing.inSpan('message.insert', {}, () => store.addFirstMessage(mailbox, teamDomain, message, event))
    },
  }
}

export function tracedFeed(feed: Pick<Feed, 'wake'>, tracing: Tracing | null): Pick<Feed, 'wake'> {
  if (!tracing) return feed
  return { wake: (...given) => tracing.inShortSpan('message.wake', () => feed.wake(...given)) }
}

export function tracedAttempt(attempt: SendAttempt, tracing: Tracing | null): SendAttempt {
  if (!tracing) return attempt
  const ended = ({ httpStatus, error }: AttemptResult) => statusAttributes(httpStatus, error === null)
  return (endpoint, event) =>
    tracing.inSpan('webhook.send', { after: event.eventId, ended }, () => attempt(endpoint, event))
}

function messageId(id: string) {
  return { 'mailhatch.message.id': id }
}

function statusAttributes(status: number | null, isSuccess: boolean) {
  return {
    ...(status !== null && { 'http.response.status_code': status }),
    ...(!isSuccess && { 'error.type': String(status ?? 'no_response') }),
  }
}
