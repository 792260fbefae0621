export { Mailhatch } from './client.ts'
export type { ListQuery, MailhatchOptions, MessagePage, MessageQuery } from './client.ts'
export { MailhatchError, MessageTimeoutError } from './errors.ts'
export type {
  Announcement,
  ApiKey,
  Attachment,
  Code,
  Envelope,
  ErrorBody,
  Header,
  IntakeAnswer,
  Link,
  LinkKind,
  Mailbox,
  Me,
  MessageDetail,
  MessageSummary,
  NearMiss,
  ParseState,
  Rejection,
  Scope,
} from './wire.ts'
