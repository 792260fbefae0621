/**
 * Tables with rows of one team each. Their primary keys and unique indexes begin with `team_id`, so that a cluster can keep a
 * team on one node. A table comes after those that it refers to.
 */
export const TEAM_TABLES: readonly string[] = [
  'team_state',
  'mailboxes',
  'messages',
  'message_contents',
  'read_marks',
  'message_tags',
  'removed_messages',
  'index_blocks',
  'index_slices',
  'rejections',
  'webhook_endpoints',
  'deliveries',
  'delivery_attempts',
  'outboxes',
  'scenarios',
  'smtp_attempts',
]

/**
 * Small tables of the whole installation: a cluster keeps a copy on every node. So while a node is down, no team can change them: no
 * sign-in, no new key. Messages change only `former_holders`, once a day for each caught address. In the same order.
 */
export const SHARED_TABLES: readonly string[] = [
  'teams',
  'users',
  'sessions',
  'one_time_tokens',
  'identities',
  'invites',
  'api_keys',
  'caught_domains',
  'root_names',
  'former_holders',
  'billing_events',
  'schema_version',
]
