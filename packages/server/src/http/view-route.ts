import type { Context, Hono } from 'hono'
import { cleanHtml } from '../domain/html/clean-html.ts'
import { AppError } from '../domain/errors.ts'
import type { Contents } from '../read/content.ts'
import { readImage, readInlineImages } from '../read/inline-images.ts'
import type { StoredMessage } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import type { ApiEnvironment } from './environment.ts'
import type { Downloads } from './downloads.ts'
import { findOtherMail, type OtherMailPorts } from './other-mail.ts'
import { imagePage, mailPage, textPage, viewHeaders } from './view-page.ts'
import type { Viewed, ViewTokens } from './view-token.ts'
import { teamView } from './view.ts'

/** How much of a text attachment is shown. The download has all of it. */
const TEXT_BYTES_MAX = 1024 * 1024

const TEXT_TYPE =
  /^(?:text\/|message\/|application\/(?:json|xml|javascript|x-sh|yaml|x-yaml|sql|ics)|.*\+(?:json|xml)$)/i

type Ports = OtherMailPorts & {
  store: Pick<Store, 'findTeam' | 'findMessage'>
  messages: { contents: Contents }
  views: Pick<ViewTokens, 'take'>
  downloads: Downloads
  site: { appUrl: string; allowedOrigins: string[] }
  now: () => number
}

/** Renders mail for a frame in the dashboard. The request has a token instead of a session. */
export function addViewRoute(app: Hono<ApiEnvironment>, ports: Ports): void {
  app.get('/view/:token', async (context) => {
    const admit = ({ teamId }: Viewed) => ports.downloads.begin(teamId, context.env?.outgoing)
    const view = ports.views.take(context.req.param('token'), admit)
    const message = view && (await findMessage(ports, view))
    if (!view || !message) throw new AppError('not_found', 'This view has expired. Open the message again.')
    const html = await render(ports, message, view)
    return answer(context, html, view)
  })

  function answer(context: Context<ApiEnvironment>, html: string, { remoteImages }: Viewed): Response {
    const ancestors = new Set([new URL(ports.site.appUrl).origin, ...ports.site.allowedOrigins])
    return context.body(
      html,
      200,
      viewHeaders({ contentType: 'text/html; charset=utf-8', remoteImages, ancestors: [...ancestors] }),
    )
  }
}

async function findMessage(ports: Ports, { teamId, messageId, isUnclaimed }: Viewed): Promise<StoredMessage | null> {
  if (isUnclaimed) return findOtherMail(ports, messageId)
  const { store, now } = ports
  const team = await store.findTeam(teamId)
  return team && store.findMessage(teamView(team, {}, now()), messageId)
}

async function render(ports: Ports, message: StoredMessage, viewed: Viewed): Promise<string> {
  const { teamId: who, attachment, remoteImages } = viewed
  if (attachment !== null) return renderAttachment(ports, message, { index: attachment, who })
  const images = await readInlineImages(ports.messages, message, { who })
  const inlineImage = (contentId: string) => images.get(contentId) ?? null
  return mailPage(cleanHtml(message.html ?? '', { remoteImages, inlineImage }))
}

/** Raster images and text are shown as such. Vector images and HTML are shown as source, because they are untrusted. */
async function renderAttachment(
  ports: Ports,
  message: StoredMessage,
  { index, who }: { index: number; who: string },
): Promise<string> {
  const attachment = message.attachments.find((one) => one.index === index)
  if (!attachment) throw new AppError('message_not_found', 'Not found')
  const image = await readImage(ports.messages, message, attachment, { who })
  if (image !== null) return imagePage(image)
  const { contentType } = attachment
  const isText = TEXT_TYPE.test(contentType) || contentType === 'image/svg+xml'
  const bytes = isText ? (await ports.messages.contents.attachments(message, [index], { who })).get(index) : null
  if (!bytes) throw new AppError('not_found', 'This attachment has no preview. Download it instead.')
  const shown = new TextDecoder().decode(bytes.subarray(0, TEXT_BYTES_MAX))
  return textPage(shown, { isCut: bytes.byteLength > TEXT_BYTES_MAX })
}
