/** A table to copy. */
export type CopiedTable = {
  name: string
  columns: readonly string[]
  /** Columns whose values can be long. */
  wide: readonly string[]
  /** Columns not copied, because the target computes them. */
  made: readonly string[]
}

/** Tables whose rows share one key and are copied in its order. */
export type CopiedPart = {
  name: string
  key: string
  /** Sorts before every key. */
  lowest: string | 0
  /** Rows are only ever added, so all missing rows have a larger key than those in the target. */
  isAppended: boolean
  tables: readonly [CopiedTable, ...CopiedTable[]]
}

/**
 * The text index is rebuilt from the messages, and the target has its own schema. Sessions and one-time tokens end, so
 * users sign in again.
 */
export const TABLES_NOT_COPIED = ['sessions', 'one_time_tokens', 'text_blocks', 'text_slices', 'schema_version']

const TEAMS: CopiedTable = {
  name: 'teams',
  columns: [
    'id',
    'name',
    'plan',
    'retention_days',
    'domain',
    'last_position',
    'message_count',
    'is_bootstrap',
    'created_at',
    'pending_domain',
    'domain_token',
    'billing_customer',
    'read_through',
    'read_count',
    'mark_version',
  ],
  wide: [],
  made: ['indexed_through', 'index_resets'],
}

const MAILBOXES: CopiedTable = {
  name: 'mailboxes',
  columns: ['id', 'team_id', 'name', 'domain', 'created_at', 'updated_at', 'removed_at'],
  wide: [],
  made: [],
}

const MESSAGES: CopiedTable = {
  name: 'messages',
  columns: [
    'sequence',
    'team_id',
    'position',
    'id',
    'mailbox_id',
    'mailbox_with_tag',
    'tag',
    'domain',
    'tenant_subdomain',
    'sender',
    'sender_name',
    'recipient',
    'subject',
    'received_at',
    'stored_at',
    'size',
    'attachment_count',
    'subject_folded',
    'sender_folded',
    'recipient_folded',
    'mailbox_with_tag_folded',
    'object_mailbox',
  ],
  wide: ['sender', 'sender_name', 'recipient', 'subject', 'sender_folded', 'recipient_folded', 'subject_folded'],
  made: [],
}

const MESSAGE_CONTENTS: CopiedTable = {
  name: 'message_contents',
  columns: ['sequence', 'headers', 'html', 'text', 'body_folded', 'codes', 'links', 'attachments', 'envelope', 'parse'],
  wide: ['headers', 'html', 'text', 'body_folded', 'codes', 'links', 'attachments', 'envelope'],
  made: [],
}

const READ_MARKS: CopiedTable = {
  name: 'read_marks',
  columns: ['sequence', 'team_id', 'is_read', 'version'],
  wide: [],
  made: [],
}

const REMOVED_MESSAGES: CopiedTable = {
  name: 'removed_messages',
  columns: ['id', 'domain', 'mailbox', 'removed_at', 'has_objects', 'team_id'],
  wide: [],
  made: [],
}

const REJECTIONS: CopiedTable = {
  name: 'rejections',
  columns: ['id', 'team_id', 'at', 'sender', 'recipient', 'code', 'reason'],
  wide: ['sender', 'recipient', 'reason'],
  made: [],
}

const API_KEYS: CopiedTable = {
  name: 'api_keys',
  columns: [
    'id',
    'team_id',
    'name',
    'hash',
    'masked',
    'scopes',
    'mailbox_id',
    'expires_at',
    'last_used_at',
    'created_at',
    'created_by',
  ],
  wide: [],
  made: [],
}

const USERS: CopiedTable = {
  name: 'users',
  columns: [
    'id',
    'email',
    'email_folded',
    'name',
    'password_hash',
    'email_checked_at',
    'team_id',
    'role',
    'joined_at',
    'created_at',
    'updated_at',
  ],
  wide: [],
  made: [],
}

const IDENTITIES: CopiedTable = {
  name: 'identities',
  columns: ['id', 'issuer', 'subject', 'user_id'],
  wide: [],
  made: [],
}

const INVITES: CopiedTable = {
  name: 'invites',
  columns: ['id', 'team_id', 'email', 'email_folded', 'invited_by', 'created_at', 'expires_at'],
  wide: [],
  made: [],
}

const CAUGHT_DOMAINS: CopiedTable = {
  name: 'caught_domains',
  columns: ['domain', 'team_id', 'caught_at'],
  wide: [],
  made: [],
}

const BILLING_EVENTS: CopiedTable = { name: 'billing_events', columns: ['id', 'at'], wide: [], made: [] }

const WEBHOOK_ENDPOINTS: CopiedTable = {
  name: 'webhook_endpoints',
  columns: [
    'id',
    'team_id',
    'url',
    'description',
    'mailbox',
    'tag',
    'is_active',
    'disabled_reason',
    'secret',
    'secret_masked',
    'old_secrets',
    'failing_since',
    'created_at',
    'updated_at',
    'removed_at',
  ],
  wide: [],
  made: [],
}

const DELIVERIES: CopiedTable = {
  name: 'deliveries',
  columns: [
    'sequence',
    'id',
    'endpoint_id',
    'event',
    'event_id',
    'message_id',
    'body',
    'status',
    'attempt',
    'attempts_before',
    'next_attempt_at',
    'http_status',
    'response_body',
    'latency_ms',
    'error',
    'created_at',
    'finished_at',
  ],
  wide: ['body', 'response_body'],
  // The process that held the leases has stopped.
  made: ['lease_owner', 'lease_until'],
}

const DELIVERY_ATTEMPTS: CopiedTable = {
  name: 'delivery_attempts',
  columns: ['sequence', 'delivery', 'at', 'http_status', 'response_body', 'latency_ms', 'error'],
  wide: ['response_body'],
  made: [],
}

/** Copied before the keys, in an order in which rows refer only to earlier ones. */
export const PARTS: readonly CopiedPart[] = [
  { name: 'teams', key: 'id', lowest: '', isAppended: false, tables: [TEAMS] },
  { name: 'users', key: 'id', lowest: '', isAppended: false, tables: [USERS] },
  { name: 'identities', key: 'id', lowest: '', isAppended: false, tables: [IDENTITIES] },
  { name: 'invites', key: 'id', lowest: '', isAppended: false, tables: [INVITES] },
  { name: 'billing events', key: 'id', lowest: '', isAppended: false, tables: [BILLING_EVENTS] },
  { name: 'caught domains', key: 'domain', lowest: '', isAppended: false, tables: [CAUGHT_DOMAINS] },
  { name: 'mailboxes', key: 'id', lowest: '', isAppended: false, tables: [MAILBOXES] },
  { name: 'messages', key: 'sequence', lowest: 0, isAppended: true, tables: [MESSAGES, MESSAGE_CONTENTS] },
  { name: 'read marks', key: 'sequence', lowest: 0, isAppended: false, tables: [READ_MARKS] },
  { name: 'removed messages', key: 'id', lowest: '', isAppended: false, tables: [REMOVED_MESSAGES] },
  { name: 'rejections', key: 'id', lowest: 0, isAppended: true, tables: [REJECTIONS] },
  { name: 'webhook endpoints', key: 'id', lowest: '', isAppended: false, tables: [WEBHOOK_ENDPOINTS] },
  { name: 'deliveries', key: 'sequence', lowest: 0, isAppended: false, tables: [DELIVERIES] },
  { name: 'delivery attempts', key: 'sequence', lowest: 0, isAppended: true, tables: [DELIVERY_ATTEMPTS] },
]

/** Copied last in one transaction: without a key, an incomplete copy cannot be used. */
export const KEYS: CopiedPart = { name: 'keys', key: 'id', lowest: '', isAppended: false, tables: [API_KEYS] }
