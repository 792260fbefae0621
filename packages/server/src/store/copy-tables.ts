import type { SqlValue } from './sql.ts'

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
  key: readonly string[]
  /** Sorts before every key. */
  lowest: readonly SqlValue[]
  /**
   * The key is a team and a number, and a team's rows are only ever added: those missing in the target have larger numbers.
   * Other parts are compared and written row by row on every run; they are small beside the messages.
   */
  isAppended: boolean
  tables: readonly [CopiedTable, ...CopiedTable[]]
}

/**
 * The text index is rebuilt from the messages, and the target has its own schema. Sessions and one-time tokens end, so
 * users sign in again. Scenarios end within minutes, and attempts are kept for a day.
 */
export const TABLES_NOT_COPIED = [
  'sessions',
  'one_time_tokens',
  'index_blocks',
  'index_slices',
  'scenarios',
  'smtp_attempts',
  'schema_version',
]

const TEAMS = table(
  'teams',
  'id name plan retention_days domain is_bootstrap created_at pending_domain domain_token billing_customer',
)
const TEAM_STATE = table(
  'team_state',
  'team_id last_position message_count read_through read_count mark_version tag_version',
  {
    made: 'indexed_through index_resets',
  },
)
const USERS = table(
  'users',
  'id email email_folded name password_hash email_checked_at team_id role joined_at created_at updated_at',
)
const IDENTITIES = table('identities', 'id issuer subject user_id')
const INVITES = table('invites', 'id team_id email email_folded invited_by created_at expires_at')
const BILLING_EVENTS = table('billing_events', 'id at')
const CAUGHT_DOMAINS = table('caught_domains', 'domain team_id caught_at')
const ROOT_NAMES = table('root_names', 'domain name team_id mailbox_id')
const FORMER_HOLDERS = table('former_holders', 'domain name team_id left_at')
const MAILBOXES = table('mailboxes', 'team_id id name domain is_caught created_at updated_at removed_at')
const MESSAGES = table(
  'messages',
  `team_id position id mailbox_id mailbox_with_tag tag domain tenant_subdomain sender sender_name recipient subject received_at
   stored_at size attachment_count subject_folded sender_folded recipient_folded mailbox_with_tag_folded object_mailbox`,
  { wide: 'sender sender_name recipient subject sender_folded recipient_folded subject_folded' },
)
const MESSAGE_CONTENTS = table(
  'message_contents',
  'team_id position headers html text body_folded codes links attachments envelope parse',
  { wide: 'headers html text body_folded codes links attachments envelope' },
)
const READ_MARKS = table('read_marks', 'team_id position is_read version')
const MESSAGE_TAGS = table('message_tags', 'team_id position tags version', { wide: 'tags' })
const REMOVED_MESSAGES = table('removed_messages', 'team_id id domain mailbox removed_at has_objects')
const REJECTIONS = table('rejections', 'team_id id at sender recipient code reason', {
  wide: 'sender recipient reason',
})
const WEBHOOK_ENDPOINTS = table(
  'webhook_endpoints',
  `team_id id url description mailbox tag is_active disabled_reason secret secret_masked old_secrets failing_since created_at
   updated_at removed_at`,
)
const DELIVERIES = table(
  'deliveries',
  `team_id id endpoint_id event event_id message_id body status attempt attempts_before next_attempt_at http_status
   response_body latency_ms error created_at finished_at`,
  // The process that held the leases has stopped.
  { wide: 'body response_body', made: 'lease_owner lease_until' },
)
const DELIVERY_ATTEMPTS = table(
  'delivery_attempts',
  'team_id delivery_id attempt at http_status response_body latency_ms error',
  { wide: 'response_body' },
)
const OUTBOXES = table('outboxes', 'team_id due_at')
const API_KEYS = table(
  'api_keys',
  'id team_id name hash masked scopes mailbox_id expires_at last_used_at created_at created_by',
)

/** Copied before the keys, in an order in which rows refer only to earlier ones. */
export const PARTS: readonly CopiedPart[] = [
  part('teams', { id: '' }, [TEAMS]),
  part('counters of teams', { team_id: '' }, [TEAM_STATE]),
  part('users', { id: '' }, [USERS]),
  part('identities', { id: '' }, [IDENTITIES]),
  part('invites', { id: '' }, [INVITES]),
  part('billing events', { id: '' }, [BILLING_EVENTS]),
  part('caught domains', { domain: '' }, [CAUGHT_DOMAINS]),
  part('mailboxes', { team_id: '', id: '' }, [MAILBOXES]),
  part('names of mailboxes', { domain: '', name: '' }, [ROOT_NAMES]),
  part('former holders', { domain: '', name: '', team_id: '' }, [FORMER_HOLDERS]),
  appended('messages', { team_id: '', position: 0 }, [MESSAGES, MESSAGE_CONTENTS]),
  part('read marks', { team_id: '', position: 0 }, [READ_MARKS]),
  part('tags of messages', { team_id: '', position: 0 }, [MESSAGE_TAGS]),
  part('removed messages', { team_id: '', id: '' }, [REMOVED_MESSAGES]),
  appended('rejections', { team_id: '', id: 0 }, [REJECTIONS]),
  part('webhook endpoints', { team_id: '', id: '' }, [WEBHOOK_ENDPOINTS]),
  part('deliveries', { team_id: '', id: '' }, [DELIVERIES]),
  part('delivery attempts', { team_id: '', delivery_id: '', attempt: 0 }, [DELIVERY_ATTEMPTS]),
  part('outboxes', { team_id: '' }, [OUTBOXES]),
]

/** Copied last in one transaction: without a key, an incomplete copy cannot be used. */
export const KEYS: CopiedPart = part('keys', { id: '' }, [API_KEYS])

function table(name: string, columns: string, { wide = '', made = '' } = {}): CopiedTable {
  return { name, columns: words(columns), wide: words(wide), made: words(made) }
}

/** The key's columns in order, each with a value below all of its own. */
function part(name: string, key: Record<string, '' | 0>, tables: CopiedPart['tables']): CopiedPart {
  return { name, key: Object.keys(key), lowest: Object.values(key), isAppended: false, tables }
}

function appended(
  name: string,
  key: { team_id: '' } & Record<string, '' | 0>,
  tables: CopiedPart['tables'],
): CopiedPart {
  return { ...part(name, key, tables), isAppended: true }
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
