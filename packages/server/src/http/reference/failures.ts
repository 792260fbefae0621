import { ERROR_STATUS, type ErrorCode } from '../../domain/errors.ts'
import { ACCESS } from '../routes/access.ts'
import type { DeclaredFailure, Route } from '../routes/route.ts'

/** Anything that is asked can meet these, so the document tells of them once. */
export const COMMON_ERRORS: ErrorCode[] = ['url_too_long', 'headers_too_large', 'request_timeout', 'internal']
/** And these, what writes. */
export const COMMON_WRITE_ERRORS: ErrorCode[] = ['storage_full']

/** By what the access of a route needs. */
const CREDENTIAL_ERRORS: Record<(typeof ACCESS)[keyof typeof ACCESS]['needs'], ErrorCode[]> = {
  nothing: [],
  'webhook secret': ['unauthorized', 'database_unavailable'],
  key: ['unauthorized', 'key_expired', 'rate_limited', 'forbidden', 'database_unavailable'],
}

export type ExplainedFailure = Explanation & { code: ErrorCode; status: number }

/** Every failure of the route, but for the common ones. */
export function failuresOf({ access, method, query, errors }: Route): ExplainedFailure[] {
  // What writes is refused while there is too much to do; of what reads, only what is held open.
  const busy: ErrorCode[] = method === 'get' ? [] : ['server_busy']
  const slips: ErrorCode[] = query ? ['unknown_parameter'] : []
  return [...CREDENTIAL_ERRORS[ACCESS[access].needs], ...busy, ...slips, ...errors].map(explain)
}

export function commonErrorsOf({ method }: Route): ErrorCode[] {
  return method === 'get' ? COMMON_ERRORS : [...COMMON_ERRORS, ...COMMON_WRITE_ERRORS]
}

export function explain(failure: DeclaredFailure): ExplainedFailure {
  const given = typeof failure === 'string' ? { code: failure } : failure
  return { status: ERROR_STATUS[given.code], ...EXPLANATIONS[given.code], ...given }
}

type Explanation = { sentence: string; when: string; details?: Record<string, string[]> }

/** What a failure says and when it comes; sentences are examples, codes are stable. */
const EXPLANATIONS: Record<ErrorCode, Explanation> = {
  unauthorized: { sentence: 'Unauthorized', when: 'the key or secret is missing or unknown' },
  key_expired: { sentence: 'API key expired', when: 'the key’s time is over' },
  invalid_credentials: { sentence: 'E-mail or password is wrong.', when: 'no account has this address and password' },
  address_unchecked: {
    sentence: 'Follow the link in the mail that we have sent you, then sign in.',
    when: 'the account’s address is still to be checked',
  },
  account_exists: {
    sentence: 'This address has an account. Sign in instead.',
    when: 'the address has an account already',
  },
  invite_needed: {
    sentence: 'You need an invite for this address. Ask an owner of your team.',
    when: 'only people with an invite may sign up',
  },
  token_invalid: {
    sentence: 'This link has expired or was used already.',
    when: 'the one-time token is unknown, used or too old',
  },
  sign_in_refused: {
    sentence: 'Signing in at the provider did not work. Please try again.',
    when: 'the provider is away, said no, or gave an answer that is not valid',
  },
  email_unverified: {
    sentence: 'The provider does not say that the e-mail address is yours.',
    when: 'the provider has not verified the address',
  },
  forbidden: { sentence: 'Forbidden', when: 'the key’s scope or mailbox does not allow this' },
  not_found: { sentence: 'Not found', when: 'it does not exist, or the key may not see it' },
  message_not_found: { sentence: 'Not found', when: 'no such message, or none that the key may see' },
  raw_unavailable: {
    sentence: 'This server has no raw copy of the message.',
    when: 'the message is stored, but its raw bytes are not',
  },
  mailbox_invalid: { sentence: 'Invalid mailbox', when: 'this cannot be the name of a mailbox' },
  mailbox_reserved: { sentence: 'Mailbox name is reserved.', when: 'nobody may choose this name' },
  mailbox_taken: { sentence: 'Mailbox name already taken for this domain.', when: 'the name is in use' },
  mailbox_limit: { sentence: 'Mailbox limit reached for this plan.', when: 'the team has as many as its plan allows' },
  domain_taken: { sentence: 'Another team has the domain qa.example.com.', when: 'the domain is another team’s' },
  domain_unproven: {
    sentence: 'There is no TXT record _mailhatch.qa.example.com with the value mailhatch-verify=… yet.',
    when: 'the domain’s TXT record was not found',
  },
  key_limit: { sentence: 'API key limit reached for this plan.', when: 'the team has as many keys as its plan allows' },
  member_limit: {
    sentence: 'Member limit reached for this plan.',
    when: 'the team has as many members as its plan allows',
  },
  member_exists: {
    sentence: 'ada@example.com is a member of this team already.',
    when: 'the address is a member’s',
  },
  last_owner: { sentence: 'A team keeps at least one owner.', when: 'nobody else owns the team' },
  team_exists: { sentence: 'You already have a team.', when: 'the user has a team' },
  invite_limit: {
    sentence: 'A team has at most 200 open invites. Delete some first.',
    when: 'the team has too many open invites',
  },
  invite_expired: { sentence: 'This invite has expired. Ask for a new one.', when: 'the invite is older than 14 days' },
  billing_unavailable: { sentence: 'Billing is not set up on this server.', when: 'no payment provider is configured' },
  cursor_not_found: {
    sentence: 'Cursor message not found. It may have been deleted.',
    when: 'the message named by `after_id` is gone',
  },
  validation_failed: {
    sentence: 'Invalid query: limit must be a whole number from 1 to 200.',
    when: 'a value is not valid; `details` says which and why',
    details: { limit: ['must be a whole number from 1 to 200'] },
  },
  unknown_parameter: {
    sentence: 'There is no query parameter malbox. Did you mean mailbox?',
    when: 'a query parameter is probably misspelled',
    details: { malbox: ['is unknown; probably mailbox was meant'] },
  },
  payload_too_large: { sentence: 'The body is larger than 262144 bytes.', when: 'the body is too large' },
  unsupported_media_type: {
    sentence: 'Send JSON, with Content-Type: application/json.',
    when: 'the body is declared as something else than JSON',
  },
  url_too_long: { sentence: 'The URL is longer than 8192 characters.', when: 'the URL is too long' },
  headers_too_large: {
    sentence: 'The headers are larger than 16384 bytes.',
    when: 'the request headers are too large',
  },
  request_timeout: { sentence: 'The request did not arrive in time.', when: 'the request did not arrive in time' },
  method_not_allowed: { sentence: 'Use GET here.', when: 'the path exists, but not with this method' },
  too_many_waits: { sentence: 'This key already holds 20000 waits.', when: 'the key holds too many waits at once' },
  too_many_streams: {
    sentence: 'This key already has 1000 streams open.',
    when: 'the key holds too many streams at once',
  },
  server_busy: {
    sentence: 'The server has too much to do at the moment. Please ask again.',
    when: 'the server has too much to do, or holds too many streams at once',
  },
  rate_limited: {
    sentence: 'Rate limit exceeded. Please slow down.',
    when: 'the team’s requests of this minute are used up',
  },
  inbox_domain_unknown: { sentence: 'Inbox domain not configured', when: 'no team has the domain' },
  mailbox_unknown: { sentence: 'Mailbox not configured', when: 'the root domain has no such mailbox' },
  received_at_invalid: { sentence: 'Invalid receivedAt', when: '`receivedAt` is no time that exists' },
  storage_full: { sentence: 'The server is out of disk space.', when: 'the server’s disk is full' },
  webhook_url_insecure: { sentence: 'Webhook URL must use HTTPS.', when: 'the URL has another scheme than https' },
  webhook_url_private: {
    sentence: 'Webhook URL must not point to a private address.',
    when: 'the URL names an address or host that is not on the public internet',
  },
  webhook_exists: {
    sentence: 'The team has a webhook endpoint with this URL already.',
    when: 'the team has an endpoint with this URL',
  },
  webhook_limit: {
    sentence: 'A team has at most 20 webhook endpoints. Delete one first.',
    when: 'the team has as many endpoints as there may be',
  },
  webhooks_unavailable: {
    sentence: 'Webhooks are not available on your current plan.',
    when: 'the team’s plan has no webhooks',
  },
  endpoint_inactive: {
    sentence: 'The endpoint is inactive. Switch it on first.',
    when: 'the endpoint is switched off',
  },
  webhook_not_configured: { sentence: 'Webhook not configured', when: 'the worker has nobody to announce to' },
  already_processed: { sentence: 'Already processed', when: 'the API has taken the mail before' },
  announcement_failed: { sentence: 'The API answered 404.', when: 'the API did not take the mail' },
  provider_failed: { sentence: 'Cloudflare refused: Authentication error', when: 'the provider refused or is away' },
  not_configured: { sentence: 'The worker lacks settings: EMAIL_DOMAIN.', when: 'the worker lacks settings' },
  worker_unreachable: {
    sentence: 'The inbox worker, which keeps the raw mail, cannot be reached.',
    when: 'the worker, which keeps the raw mail, does not answer as it should',
  },
  database_unavailable: {
    sentence: 'The database cannot be reached. Please ask again.',
    when: 'the API does not reach its database, or gets no answer in time',
  },
  storage_unavailable: {
    sentence: 'The mail storage cannot be reached. Please ask again.',
    when: 'the storage that keeps the raw mail does not answer',
  },
  shutting_down: { sentence: 'The server is restarting. Please ask again.', when: 'the server is restarting' },
  internal: { sentence: 'Something went wrong on our side.', when: 'something went wrong in the server' },
}
