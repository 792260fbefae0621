/** What a test does to a database, through the statements of one version. */
export type Replica = {
  addTeam(team: { id: string; domain: string | null }): Promise<void>
  moveTeam(teamId: string, domain: string): Promise<void>
  addMailbox(mailbox: Box & { isCaught: boolean }): Promise<void>
  renameMailbox(mailbox: Box, name: string): Promise<void>
  hideMailbox(mailbox: Box): Promise<void>
  /** With a delivery to each endpoint. The same id again changes nothing. */
  addMessage(mailbox: Box, message: { id: string; text: string }, endpointIds?: string[]): Promise<void>
  markMessages(teamId: string, positions: number[], isRead: boolean): Promise<void>
  markAllRead(teamId: string, upTo: number): Promise<void>
  removeMessages(teamId: string, positions: number[]): Promise<void>
  addEndpoint(endpoint: { teamId: string; id: string }): Promise<void>
  /** An attempt to send a pending delivery. */
  finishAttempt(delivery: { teamId: string; id: string }, status: 'success' | 'pending'): Promise<void>
  addRejection(domain: string, code: string): Promise<void>
  close(): Promise<void>
}

export type Box = { teamId: string; id: string; name: string; domain: string }

/** Of everything, so that the rows of both versions can be compared. */
export const AT = 1_700_000_000_000

export const deliveryId = (messageId: string, endpointId: string) => `${messageId} ${endpointId}`
