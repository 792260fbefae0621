import { parseIsoTime } from '../../domain/iso-time.ts'
import type { MessageFilter } from '../../domain/match.ts'
import type { ExcludedMessages, SearchWords } from '../../domain/search-words.ts'
import type { SignedIn } from '../../store/accounts.ts'
import { listQuery, streamQuery, toListParams, toStreamParams } from '../message-params.ts'
import { refuse } from '../query.ts'
import type { SearchInput } from './inputs.ts'
import type { RpcPorts } from './ports.ts'
import { readQuery } from './read-query.ts'

export type Search = { filter: MessageFilter; words: SearchWords }

type Ports = Pick<RpcPorts, 'store'>
type Caller = { signedIn: SignedIn }

/** Parses the search of a list, and of what acts on all results. */
export async function readSearch(ports: Ports, caller: Caller, input: SearchInput) {
  const params = toListParams(await readQuery(ports, caller, input.query, listQuery))
  return { ...params, ...(await addWords(ports, caller, { ...input, filter: params.filter })) }
}

/** Adds the words of the search box to a filter. */
export async function addWords(
  ports: Ports,
  caller: Caller,
  { filter, words, without }: Pick<SearchInput, 'words' | 'without'> & { filter: MessageFilter },
): Promise<Search> {
  const excluded: ExcludedMessages[] = []
  for (const one of without) {
    const params = toStreamParams(await readQuery(ports, caller, one.query, streamQuery))
    excluded.push(requireCondition(withWords(params.filter, one.words)))
  }
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
