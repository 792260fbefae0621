import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NotFoundError, type Mailhatch, type MessageSummary } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { countOf } from './count-of.ts'
import { examples } from './examples.ts'
import { filterOf, withFilter, type FilterOptions } from './message-filter.ts'
import { print, type JsonOption } from './output.ts'
import { createProgress } from './progress.ts'
import { untilStopped } from './stop-signal.ts'

/** Lists the exported files with their recipients; `import` reads it. */
export const INDEX_FILE = 'index.json'
const PAGE_MAX = 200
/** Parallel requests. More are not faster, and each holds a message in memory. */
const AT_ONCE = 4

type Exported = MessageSummary & { file: string | null }
type ExportOptions = FilterOptions & JsonOption & { dir: string }

export function addExportCommand(program: Command): void {
  const command = program
    .command('export')
    .description('Write messages to .eml files and list them in index.json. Run again to continue.')
    .option('--dir <folder>', 'target folder', 'mailhatch-export')
  withConnection(withFilter(command).option('--json', 'print JSON'))
    .addHelpText('after', examples('mailhatch export --dir mails --mailbox qa --since 1d'))
    .action((options: ExportOptions) =>
      untilStopped(async (signal) => {
        const mailhatch = connect(command)
        const messages: MessageSummary[] = []
        const query = { ...filterOf(options), limit: PAGE_MAX }
        for await (const message of mailhatch.messages.list(query, { signal })) messages.push(message)
        mkdirSync(options.dir, { recursive: true })
        const exported = await exportAll({ mailhatch, signal }, messages, options.dir)
        writeWhole(join(options.dir, INDEX_FILE), `${JSON.stringify({ messages: exported }, null, 2)}\n`)
        const missing = exported.filter(({ file }) => file === null).length
        print(
          { dir: options.dir, messages: exported.length, withoutRaw: missing },
          [
            `Exported ${countOf(exported.length, 'message')} to ${options.dir}.`,
            ...(missing === 0
              ? []
              : [`Without raw mail on the server, and only in ${INDEX_FILE}: ${countOf(missing, 'message')}.`]),
          ],
          options,
        )
      }),
    )
}

type Ports = { mailhatch: Mailhatch; signal: AbortSignal }

async function exportAll(ports: Ports, messages: MessageSummary[], dir: string): Promise<Exported[]> {
  const progress = createProgress()
  const exported: Exported[] = []
  try {
    for (let start = 0; start < messages.length; start += AT_ONCE) {
      const some = messages.slice(start, start + AT_ONCE)
      const files = await Promise.all(some.map((message) => exportOne(ports, message, dir)))
      exported.push(...some.map((message, index) => ({ ...message, file: files[index]! })))
      progress.show({ label: 'exporting', done: exported.length, total: messages.length })
    }
  } finally {
    progress.end()
  }
  return exported
}

/** The file name; null if the server has no raw mail. */
async function exportOne({ mailhatch, signal }: Ports, { id }: MessageSummary, dir: string): Promise<string | null> {
  // Sanitised, because the id comes from the server.
  const file = `${id.replaceAll(/[^\w-]/g, '_')}.eml`
  const path = join(dir, file)
  if (existsSync(path)) return file
  try {
    writeWhole(path, await mailhatch.messages.raw(id, { signal }))
    return file
  } catch (error) {
    if (error instanceof NotFoundError) return null
    throw error
  }
}

/** Renames at the end, so that an existing file is always complete. */
function writeWhole(path: string, content: string | Uint8Array): void {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}
