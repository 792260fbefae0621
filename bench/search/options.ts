import { parseArgs } from 'node:util'

export type Options = {
  messages: number
  /** Messages of the smaller team; the rest belong to the large one. */
  smallTeamMessages: number
  questions: number
  rounds: number
  /** Null for a temporary folder. */
  folder: string | null
  keep: boolean
  /** Mailpit, to run the same searches on the messages of the smaller team. */
  mailpit: string | null
}

const MESSAGES = 1_000_000
const SMALL_TEAM_MESSAGES = 50_000
/** Fewer messages do not fill an index block; more do not fit on an ordinary disk. */
const MESSAGES_MIN = 10_000
const MESSAGES_MAX = 5_000_000

export const HELP = `Measures searches in a store full of messages, and what their index costs.

Usage: node --conditions=mailhatch-source bench/search/run.ts [options]

  --messages <n>   Messages to fill the store with. Default: ${MESSAGES}, of which ${SMALL_TEAM_MESSAGES} are one team's.
  --folder <path>  Where the store lies. What an earlier run kept there is used again, whatever its size.
  --keep           Keep the store afterwards. By default, a store that this run created is deleted.
  --mailpit <path> Ask this Mailpit, too, after filling it with the smaller team's messages by SMTP.
  --help           This text.

A run of the default size writes bench/search/report.md; others are printed. It needs 6 GB of disk and 15 minutes.
`

/** Null for --help; throws on invalid options. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      messages: { type: 'string', default: String(MESSAGES) },
      folder: { type: 'string' },
      keep: { type: 'boolean', default: false },
      mailpit: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const messages = Number(values.messages)
  if (!(Number.isInteger(messages) && messages >= MESSAGES_MIN && messages <= MESSAGES_MAX)) {
    throw new Error(`--messages must be a number from ${MESSAGES_MIN} to ${MESSAGES_MAX}.`)
  }
  return {
    messages,
    smallTeamMessages: Math.min(SMALL_TEAM_MESSAGES, messages / 2),
    questions: 100,
    rounds: 5,
    folder: values.folder ?? null,
    keep: values.keep,
    mailpit: values.mailpit ?? null,
  }
}

/** Only runs of this size overwrite the report. */
export function isWhole({ small, large }: { small: number; large: number }): boolean {
  return small === SMALL_TEAM_MESSAGES && small + large === MESSAGES
}
