import { parseIsoTime } from '../../domain/iso-time.ts'
import type { MessageFilter } from '../../domain/match.ts'
import type { ExcludedMessages, SearchWords } from '../../domain/search-words.ts'
import { refuse } from '../query.ts'
import type { SearchInput } from './inputs.ts'

export type Search = { filter: MessageFilter; words: SearchWords }

/** Adds the words of the search box to a filter. `parse` validates the filters of excluded messages. */
export async function addWords(
  filter: MessageFilter,
  { words, without }: Pick<SearchInput, 'words' | 'without'>,
  parse: (query: URLSearchParams) => Promise<MessageFilter>,
): Promise<Search> {
  const excluded: ExcludedMessages[] = []
  for (const one of without) excluded.push(requireCondition(withWords(await parse(one.query), one.words)))
  const search = withWords(filter, words)
  return { ...search, words: { ...search.words, ...(excluded.length > 0 && { without: excluded }) } }
}

function withWords(filter: MessageFilter, { before, ...words }: SearchInput['words']): ExcludedMessages {
  const given = Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined))
  if (before === undefined) return { filter, words: given }
  const end = parseIsoTime(before) ?? refuse({ before: ['must be an ISO 8601 time such as 2026-01-31T12:00:00Z'] })
  return { filter: { ...filter, end: Math.min(end, filter.end ?? Infinity) }, words: given }
}

/** An exclusion without a condition would leave out everything. */
function requireCondition(excluded: ExcludedMessages): ExcludedMessages {
  const { filter, words } = excluded
  if (Object.values({ ...filter, ...words }).every((value) => value === undefined))
    refuse({ without: ['must have a condition'] })
  return excluded
}
