import { nameAttachments } from '../../src/compat/maildev/attachments.ts'
import type { PeerName } from '../../src/compat/peers.ts'
import { toShortId } from '../../src/compat/short-id.ts'

/** The message that a call is about. It has an attachment, `note.txt` with `word`, and `word` occurs in its subject. The id is as the peer writes it. */
export type CallSubject = { id: string; word: string; address: string }

export type DoorRow = {
  /** What a key for everything gets. 200 if it is not given. */
  status?: number
  /** Also without a key. */
  isForEveryone?: true
  /** What a key for reading gets, and one for a mailbox. As above if it is not given. */
  reader?: number
  /** What a key gets that does not see the message. As above if it is not given. */
  outsider?: number
  /** The content type of the response to a caller who sees the message, and of no other. */
  type?: string
  /** The response to a caller who sees the message has its id or its word. For a WebSocket, one that comes later. */
  isShowing?: true
  /** Marks, tags or deletes the message, or adds one. */
  isChanging?: true
  /** Deletes all messages that the caller sees. */
  isEmptying?: true
  /** The response has the ids of the request, also unknown ones. */
  isEchoing?: true
  /** The response does not end. */
  isStream?: true
  query?: (subject: CallSubject) => string
  body?: (subject: CallSubject) => object
}

export type DoorCase = {
  /** As the peer writes it. */
  idOf: (messageId: string) => string
  /** The attachment in a path. Its number if it is not given. */
  fileOf?: (subject: CallSubject) => string
  rows: Record<string, DoorRow>
}

const ABSENT = { outsider: 404 }
/** Refused with a text that says what is not supported. */
const REFUSED = { status: 400, reader: 400, outsider: 400 }
/** Opened, also for those who then see nothing of ours. */
const WEB_SOCKET = { status: 101, isShowing: true } as const
const FULL_ONLY = { reader: 403, isChanging: true } as const

/** For each door, exactly the routes that it has. Words after the path tell two calls of a route apart. */
export const DOOR_CASES: Record<PeerName, DoorCase> = {
  mailpit: {
    idOf: toShortId,
    rows: {
      'GET /livez': { isForEveryone: true },
      'GET /readyz': { isForEveryone: true },
      'GET /': {},
      // It lists the tags of all messages.
      'GET /api/v1/info': { isShowing: true },
      'GET /api/v1/webui': {},
      // Newer messages would push it off the first page of 50.
      'GET /api/v1/messages': { isShowing: true, query: () => 'limit=1000' },
      'PUT /api/v1/messages': { ...FULL_ONLY, body: ({ id }) => ({ Read: true, IDs: [id] }) },
      'DELETE /api/v1/messages': { ...FULL_ONLY, body: ({ id }) => ({ IDs: [id] }) },
      'DELETE /api/v1/messages without ids': { ...FULL_ONLY, isEmptying: true, body: () => ({}) },
      'WebSocket /api/events': WEB_SOCKET,
      'GET /api/v1/search': { isShowing: true, query: ({ word }) => `query=${word}` },
      'DELETE /api/v1/search': { ...FULL_ONLY, query: ({ word }) => `query=${word}` },
      'GET /api/v1/message/:id': { ...ABSENT, isShowing: true },
      'GET /api/v1/message/:id/headers': { ...ABSENT, isShowing: true },
      'GET /api/v1/message/:id/raw': { ...ABSENT, isShowing: true },
      'GET /api/v1/message/:id/part/:part': { ...ABSENT, isShowing: true },
      'GET /api/v1/message/:id/part/:part/thumb': { ...ABSENT, type: 'image/png' },
      'POST /api/v1/message/:id/release': { ...REFUSED, ...ABSENT },
      'GET /api/v1/message/:id/html-check': { ...REFUSED, ...ABSENT },
      'GET /api/v1/message/:id/link-check': { ...REFUSED, ...ABSENT },
      'GET /api/v1/message/:id/sa-check': { ...REFUSED, ...ABSENT },
      'GET /api/v1/tags': { isShowing: true },
      'PUT /api/v1/tags': { ...FULL_ONLY, body: ({ id }) => ({ IDs: [id], Tags: ['other'] }) },
      'PUT /api/v1/tags/:tag': { ...FULL_ONLY, outsider: 400, body: ({ word }) => ({ Name: `not ${word}` }) },
      'DELETE /api/v1/tags/:tag': { ...FULL_ONLY, outsider: 400 },
      'GET /api/v1/chaos': REFUSED,
      'PUT /api/v1/chaos': REFUSED,
      // To an address of our team. Others learn only that it is not theirs.
      'POST /api/v1/send': {
        reader: 403,
        outsider: 400,
        body: ({ address }) => ({ from: { email: 'app@shop.example' }, to: [{ email: address }], text: 'Sent' }),
      },
      'GET /view/latest': { status: 302, query: ({ word }) => `query=${word}`, ...ABSENT },
      'GET /view/:file': { status: 302, ...ABSENT },
    },
  },
  mailhog: {
    idOf: toShortId,
    rows: {
      'GET /livez': { isForEveryone: true },
      'GET /readyz': { isForEveryone: true },
      'GET /': {},
      'GET /api/v1/messages': { isShowing: true },
      'DELETE /api/v1/messages': { ...FULL_ONLY, isEmptying: true },
      'GET /api/v1/messages/:id': { isShowing: true },
      'DELETE /api/v1/messages/:id': { ...FULL_ONLY, ...ABSENT },
      'GET /api/v1/messages/:id/download': { ...ABSENT, isShowing: true },
      'GET /api/v1/messages/:id/mime/part/:part/download': { ...ABSENT, isShowing: true },
      'POST /api/v1/messages/:id/release': { ...REFUSED, ...ABSENT },
      'GET /api/v1/events': { isStream: true },
      'WebSocket /api/v2/websocket': WEB_SOCKET,
      'GET /api/v2/messages': { isShowing: true },
      'GET /api/v2/search': { isShowing: true, query: ({ word }) => `kind=containing&query=${word}` },
      'GET /api/v2/jim': { status: 404 },
      'PUT /api/v2/jim': { status: 404 },
      'DELETE /api/v2/jim': { status: 404 },
      'POST /api/v2/jim': REFUSED,
      'GET /api/v2/outgoing-smtp': {},
    },
  },
  maildev: {
    idOf: toShortId,
    fileOf: ({ word }) => {
      const file = { index: 0, filename: 'note.txt', contentType: 'text/plain', contentId: null, inline: false }
      return nameAttachments([{ ...file, size: word.length }])[0]!.generatedFileName
    },
    rows: {
      'GET /': {},
      ...maildevRows(''),
      ...maildevRows('/api'),
      'GET /api/email/summary': { isShowing: true, query: ({ word }) => `search=${word}` },
      'POST /api/email/delete': { ...FULL_ONLY, isEchoing: true, body: ({ id }) => ({ ids: [id] }) },
    },
  },
}

/** Those of version 2, and of version 3 below `/api`. */
function maildevRows(prefix: '' | '/api'): Record<string, DoorRow> {
  const email = `${prefix}/email`
  return {
    [`GET ${prefix}/healthz`]: { isForEveryone: true },
    [`GET ${prefix}/config`]: {},
    [`GET ${prefix}/reloadMailsFromDirectory`]: REFUSED,
    [`GET ${email}`]: { isShowing: true },
    [`PATCH ${email}/read-all`]: FULL_ONLY,
    [`DELETE ${email}/all`]: { ...FULL_ONLY, isEmptying: true },
    [`DELETE ${email}/:id`]: { ...FULL_ONLY, ...ABSENT },
    [`GET ${email}/:id`]: { ...ABSENT, isShowing: true },
    [`GET ${email}/:id/html`]: { ...ABSENT, isShowing: true },
    [`GET ${email}/:id/source`]: { ...ABSENT, isShowing: true },
    [`GET ${email}/:id/download`]: { ...ABSENT, isShowing: true },
    [`GET ${email}/:id/attachment/:filename`]: { ...ABSENT, isShowing: true },
    [`POST ${email}/:id/relay`]: { ...REFUSED, ...ABSENT },
    [`POST ${email}/:id/relay/:relayTo`]: { ...REFUSED, ...ABSENT },
  }
}
