import { needsContent, type MessageFilter } from './match.ts'

/** Conditions of the dashboard's search box, in addition to the filter of a request. All of them must hold. */
export type SearchWords = {
  hasAttachment?: true
  hasCode?: true
  /** No member of the team has opened it, or one has marked it as unread. */
  isUnread?: true
  /** In bytes. A message of unknown size counts as empty. */
  largerThan?: number
  smallerThan?: number
  /** Leaves out messages that match one of these. */
  without?: ExcludedMessages[]
}

export type ExcludedMessages = { filter: MessageFilter; words: Omit<SearchWords, 'without'> }

/** True if a condition needs columns of the content table. */
export function wordsNeedContent({ hasCode, without = [] }: SearchWords): boolean {
  return hasCode === true || without.some(({ filter, words }) => needsContent(filter) || words.hasCode === true)
}

export function isAnyWord(words: SearchWords | undefined): words is SearchWords {
  return words !== undefined && Object.values(words).some((value) => value !== undefined)
}
