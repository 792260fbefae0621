export type { Addresses, AddressOptions } from './addresses.ts'
export type { Attempts, AttemptsPage, AttemptsQuery } from './attempts.ts'
export { Mailhatch } from './client.ts'
export type { MailhatchOptions, Readiness } from './client.ts'
export type { Email, LinkMatch } from './email.ts'
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  ContentNotFoundError,
  ForbiddenError,
  MailhatchError,
  MessageCountError,
  MessageTimeoutError,
  NotFoundError,
  NotSettledError,
  RateLimitError,
  UnexpectedMessageError,
  ValidationError,
} from './errors.ts'
export type { Inbox, InboxMatch, InboxSettledOptions, InboxWaitOptions } from './inbox.ts'
export type { Mailboxes } from './mailboxes.ts'
export type { Match } from './match.ts'
export type { Messages } from './messages.ts'
export type { Page } from './page.ts'
export type { ListQuery, MessageFilter, MessagePage, MessageQuery, SettledQuery } from './query.ts'
export { toResult } from './result.ts'
export type { Result } from './result.ts'
export type { Duration } from './duration.ts'
export { accept, cutDuring, delay, greylist, limit, reject, slow } from './scenario-steps.ts'
export type { Step } from './scenario-steps.ts'
export type { ScenarioOptions, Scenarios, Script } from './scenarios.ts'
export type { Settled, SettledOptions } from './settled.ts'
export type { StreamOptions } from './stream.ts'
export type { RequestOptions } from './transport.ts'
export type { WaitOptions } from './wait.ts'
export type { DeliveriesQuery, NewWebhook, WebhookChanges, WebhookEndpoints } from './webhook-endpoints.ts'
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
  MailAddress,
  Mailbox,
  Me,
  MessageDetail,
  MessageSummary,
  NearMiss,
  ParseState,
  Rejection,
  Scenario,
  ScenarioStage,
  ScenarioStep,
  Scope,
  SettledState,
  SmtpAttempt,
  SmtpAttemptReply,
  UnknownTransit,
  WebhookDelivery,
  WebhookEndpoint,
} from './wire.ts'
export { signWebhook, verifyWebhook, WebhookVerificationError } from './webhook.ts'
export type { ReceivedDelivery, SignedDelivery, WebhookEvent } from './webhook.ts'
