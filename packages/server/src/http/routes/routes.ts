import * as attempts from './attempts.ts'
import * as inbound from './inbound.ts'
import * as keys from './keys.ts'
import * as mailboxes from './mailboxes.ts'
import * as messageFiles from './message-files.ts'
import * as messageRemoval from './message-removal.ts'
import * as messageStream from './message-stream.ts'
import * as messages from './messages.ts'
import * as questions from './questions.ts'
import type { DeclaredRoute, Route } from './route.ts'
import * as scenarios from './scenarios.ts'
import * as scripts from './scripts.ts'
import * as server from './server.ts'
import * as settled from './settled.ts'
import * as webhookDeliveries from './webhook-deliveries.ts'
import * as webhooks from './webhooks.ts'

const FILES: Record<string, DeclaredRoute>[] = [
  attempts,
  inbound,
  keys,
  mailboxes,
  messageFiles,
  messageRemoval,
  messageStream,
  messages,
  questions,
  scenarios,
  scripts,
  server,
  settled,
  webhookDeliveries,
  webhooks,
]

/** All operations of the REST API: every export of these files. Its name is the id of the operation. */
export const ROUTES: Route[] = FILES.flatMap((file) =>
  Object.entries(file).map(([id, declared]) => ({ id, ...declared })),
)
