/** Tables whose rows belong to one team each: their keys begin with `team_id`. */
export const TEAM_TABLES: readonly string[] = [
  'team_state',
  'mailboxes',
  'messages',
  'message_contents',
  'read_marks',
  'removed_messages',
  'index_blocks',
  'index_slices',
  'rejections',
  'webhook_endpoints',
  'deliveries',
  'delivery_attempts',
  'outboxes',
]
