/** A message with all tags that a client of Mailpit's API has set for it. */
export type TaggedMessage = { position: number; tags: string[] }

export type TagChange = TaggedMessage & { version: number }

/** Tags that clients of Mailpit's API have set. They are not the tags of addresses, by which messages are found. */
export type MessageTagStore = {
  /**
   * Replaces the tags of these messages. Those that do not exist are left out. With `ifVersion`, false and without a change
   * if tags of the team were set after that version.
   */
  setTags(teamId: string, messages: TaggedMessage[], ifVersion: number | null): Promise<boolean>
  /** Those of these messages whose tags were set. */
  tagsAmong(teamId: string, positions: number[]): Promise<TaggedMessage[]>
  /** Messages whose tags were set after another change, oldest change first. */
  changedTags(teamId: string, page: { after: TagPlace; limit: number }): Promise<TagChange[]>
}

/** Changes of one version are in order of the positions. */
export type TagPlace = Pick<TagChange, 'version' | 'position'>
