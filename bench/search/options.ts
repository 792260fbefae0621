import { parseArgs } from 'node:util'

export type Options = {
  messages: number
  database: 'sqlite' | 'postgres'
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

export const HELP = `Measures searches in a large store, and the cost of their index.

Usage: node --conditions=mailhatch-source bench/search/run.ts [options]

  --messages <n>   Messages in the store. Default: ${MESSAGES}, ${SMALL_TEAM_MESSAGES} of them in a small team.
  --database <kind> sqlite or postgres. PostgreSQL is that of the tests, in a temporary folder. Default: sqlite.
  --folder <path>  Folder of the store. A store that an earlier run kept there is reused, whatever its size.
  --keep           Keep the store afterwards. By default, a store that this run created is deleted.
  --mailpit <path> Also measure this Mailpit, filled by SMTP with the messages of the small team.
  --help           This text.

A run of the default size on SQLite writes bench/search/report.md; other runs are only printed. It needs 6 GB of disk and 15 minutes.
`

/** Null for --help; throws on invalid options. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({
    args,
    options: {
      messages: { type: 'string', default: String(MESSAGES) },
      database: { type: 'string', default: 'sqlite' },
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
  const { database } = values
  if (database !== 'sqlite' && database !== 'postgres') throw new Error('--database must be sqlite or postgres.')
  if (database === 'postgres' && (values.folder !== undefined || values.keep)) {
    throw new Error('--folder and --keep work only with SQLite.')
  }
  return {
    messages,
    database,
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
