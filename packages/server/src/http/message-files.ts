import type { Attachment } from '@mailhatch/sdk'
import type { Context, Hono } from 'hono'
import type { StoredObject } from '../bucket/bucket.ts'
import { AppError } from '../domain/errors.ts'
import { isUuid } from '../domain/uuid.ts'
import { isOperator } from '../manage/operator.ts'
import type { Contents } from '../read/content.ts'
import type { SignedIn } from '../store/accounts.ts'
import type { Team } from '../store/mailboxes.ts'
import type { StoredMessage, View } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import { attachmentHeaders } from './download.ts'
import type { Downloads } from './downloads.ts'
import type { ApiEnvironment } from './environment.ts'
import type { OtherMail } from './local-worker.ts'
import { findOtherMail } from './other-mail.ts'
import { findSession, type SessionPorts } from './session.ts'
import { teamView } from './view.ts'

type Ports = { store: Pick<Store, 'findMessage'>; messages: { contents: Contents }; downloads: Downloads }

type ApiContext = Context<ApiEnvironment>

/** What the caller may see, and the id by which their downloads are counted. */
type Reader = { view: View; who: string }

type SessionDownloadPorts = Ports &
  SessionPorts & {
    inbound: { store: Pick<Store, 'findBootstrapTeam'>; worker: { others: OtherMail | null } | null }
    teams: { rootDomain: string }
  }

/** Serves the downloads of `/v1` also below `/app`, for dashboard users, who have a session instead of a key. */
export function addSessionDownloads(app: Hono<ApiEnvironment>, ports: SessionDownloadPorts): void {
  async function requireMember(context: ApiContext): Promise<SignedIn & { team: Team }> {
    const signedIn = await findSession(ports, context.req.raw)
    if (!signedIn) throw new AppError('unauthorized', 'Unauthorized')
    if (!signedIn.team) throw new AppError('forbidden', 'Create or join a team first.')
    return { ...signedIn, team: signedIn.team }
  }

  async function readerOf(context: ApiContext): Promise<Reader> {
    const { team, user } = await requireMember(context)
    return { view: teamView(team, {}, ports.now()), who: user.id }
  }

  /** A mail that no team claims, for the operator. */
  async function beginOther(context: ApiContext, id: string): Promise<Begun> {
    const { team, role, user } = await requireMember(context)
    if (role === null || !(await isOperator(ports.inbound, team, role))) throw new AppError('forbidden', 'Forbidden')
    const message = await findOtherMail(ports, id.toLowerCase())
    ports.downloads.begin(user.id, context.env?.outgoing)
    return { message, who: user.id }
  }

  app.get('/app/messages/:id/raw', async (context) =>
    respondWithRaw(ports, context, await readerOf(context), context.req.param('id')),
  )
  app.get('/app/messages/:id/attachments/:index', async (context) =>
    respondWithAttachment(ports, context, await readerOf(context), context.req.param()),
  )
  app.get('/app/others/:id/raw', async (context) =>
    sendRaw(ports, context, await beginOther(context, context.req.param('id'))),
  )
  app.get('/app/others/:id/attachments/:index', async (context) => {
    const { id, index } = context.req.param()
    return sendAttachment(ports, context, await beginOther(context, id), index)
  })
}

export async function respondWithRaw(ports: Ports, context: ApiContext, reader: Reader, id: string): Promise<Response> {
  return sendRaw(ports, context, await begin(ports, context, reader, id))
}

async function sendRaw(ports: Ports, context: ApiContext, { message }: Begun): Promise<Response> {
  const file = { contentType: 'message/rfc822', filename: `${message.id}.eml` }
  return answer(context, await ports.messages.contents.raw(message), file)
}

export async function respondWithAttachment(
  ports: Ports,
  context: ApiContext,
  reader: Reader,
  { id, index: selector }: { id: string; index: string },
): Promise<Response> {
  return sendAttachment(ports, context, await begin(ports, context, reader, id), selector)
}

async function sendAttachment(
  ports: Ports,
  context: ApiContext,
  { message, who }: Begun,
  selector: string,
): Promise<Response> {
  const attachment = findAttachment(message.attachments, selector)
  const isGone = () => context.env?.outgoing?.destroyed ?? false
  const found = attachment && (await ports.messages.contents.attachment(message, attachment.index, { who, isGone }))
  if (!found) throw notFound()
  const { contentType, filename, index } = attachment
  return answer(context, found, { contentType, filename: filename ?? `attachment-${index}` })
}

/** A download that is counted. */
type Begun = { message: StoredMessage; who: string }

async function begin(
  { store, downloads }: Ports,
  context: ApiContext,
  { view, who }: Reader,
  id: string,
): Promise<Begun> {
  const message = isUuid(id) ? await store.findMessage(view, id.toLowerCase()) : null
  if (!message) throw notFound()
  downloads.begin(who, context.env?.outgoing)
  return { message, who }
}

function answer(
  context: ApiContext,
  { size, stream }: StoredObject,
  file: { contentType: string; filename: string },
): Response {
  const { outgoing } = context.env ?? {}
  // The stream may hold a file open. Cancelling fails if a reader has it, and then the reader closes the file.
  const drop = () => void stream.cancel().catch(() => {})
  if (context.req.method === 'HEAD' || outgoing?.destroyed) drop()
  else outgoing?.once('close', drop)
  return context.body(stream, 200, { 'content-length': String(size), ...attachmentHeaders(file) })
}

/** Accepts `0`, or `cid:` and a content id with or without angle brackets. */
function findAttachment(attachments: Attachment[], selector: string): Attachment | undefined {
  const contentId = /^cid:<?([^<>]+)>?$/i.exec(selector)?.[1]
  return attachments.find((one) =>
    contentId === undefined ? String(one.index) === selector : one.contentId === contentId,
  )
}

function notFound(): AppError {
  return new AppError('message_not_found', 'Not found')
}
