export { Mailhatch } from './client.ts'
export type { ListQuery, MailhatchOptions, MessagePage, MessageQuery } from './client.ts'
export { MailhatchError, MessageTimeoutError } from './errors.ts'
export type {
  Announcement,
  Attachment,
  Code,
  Envelope,
  ErrorBody,
  Header,
  Link,
  LinkKind,
  Me,
  MessageDetail,
  MessageSummary,
  NearMiss,
  ParseState,
  Scope,
} from './wire.ts'
