import type { Header } from '@mailhatch/sdk'
import type { TeamName } from './fill.ts'
import { COMMON_SHARE, drawAt, RARE_HITS, terms } from './mail.ts'

/** One kind of search: its name, the team, the frequency of matches and the goal. */
export type Question = {
  parameter: string
  /** The searched value; none if the message is found by mailbox and tag. */
  term?: (number: number) => string
  team: TeamName
  frequency: Frequency
  /** The goal for the p95 in milliseconds; null if there is none. */
  goalMs: number | null
  path: (number: number) => string
}

export const FREQUENCIES = ['≤ 10 hits', '1 %', '≥ 50 %'] as const
export type Frequency = (typeof FREQUENCIES)[number]

const HEADER_FIELDS_GOAL_MS = 50
const BODY_GOAL_MS = 150
const LATEST_GOAL_MS = 5
const LIMIT = 50

type Field = 'subject' | 'from' | 'to' | 'body' | 'header'

const PARAMETERS: { parameter: string; field: Field; goalMs: Record<TeamName, number | null> }[] = [
  { parameter: 'subject', field: 'subject', goalMs: { small: HEADER_FIELDS_GOAL_MS, large: HEADER_FIELDS_GOAL_MS } },
  { parameter: 'from', field: 'from', goalMs: { small: HEADER_FIELDS_GOAL_MS, large: HEADER_FIELDS_GOAL_MS } },
  { parameter: 'to', field: 'to', goalMs: { small: HEADER_FIELDS_GOAL_MS, large: HEADER_FIELDS_GOAL_MS } },
  { parameter: 'text', field: 'body', goalMs: { small: BODY_GOAL_MS, large: null } },
  { parameter: 'q', field: 'body', goalMs: { small: BODY_GOAL_MS, large: null } },
  { parameter: 'header', field: 'header', goalMs: { small: null, large: null } },
]

/** The searches. Terms vary where possible, and no request is sent twice. */
export function searchesOf(team: TeamName, messages: number): Question[] {
  return PARAMETERS.flatMap(({ parameter, field, goalMs }) =>
    FREQUENCIES.map((frequency) => ({
      parameter,
      team,
      frequency,
      goalMs: goalMs[team],
      term: (number) => termOf(field, frequency, number, messages),
      path: (number) => {
        const value = termOf(field, frequency, number, messages)
        return `/v1/messages?limit=${LIMIT}&${parameter}=${encodeURIComponent(value)}&request=${number}`
      },
    })),
  )
}

export function latestOf(team: TeamName, messages: number): Question {
  return {
    parameter: 'latest, mailbox and tag',
    team,
    frequency: '≤ 10 hits',
    goalMs: LATEST_GOAL_MS,
    path(number) {
      // Selects an existing message: its mailbox and tag come from the same series.
      const index = drawAt(91, number, messages)
      const tag = terms.rare.to(drawAt(30, index, Math.floor(messages / RARE_HITS)))
      return `/v1/messages/latest?mailbox=box${drawAt(32, index, COMMON_SHARE)}&tag=${tag}&request=${number}`
    },
  }
}

function termOf(field: Field, frequency: Frequency, number: number, messages: number): string {
  if (frequency === '≥ 50 %') return textOf(terms.frequent[field])
  if (frequency === '1 %') return textOf(terms.common[field](drawAt(92, number, COMMON_SHARE)))
  return textOf(terms.rare[field](drawAt(93, number, Math.floor(messages / RARE_HITS))))
}

function textOf(term: string | Header): string {
  return typeof term === 'string' ? term : `${term.name}:${term.value}`
}
