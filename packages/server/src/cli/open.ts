import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Command } from 'commander'
import { findConnection, withConnection } from './connection.ts'
import { examples } from './examples.ts'
import { print, wantsJson, type JsonOption } from './output.ts'

/** An opener that fails does so within this time. */
const OPEN_MS_MAX = 3_000

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` takes the first quoted argument as the window title.
  win32: ['cmd', '/c', 'start', '""'],
}

export function addOpenCommand(program: Command): void {
  const command = program
    .command('open [id]')
    .description('Open the dashboard, or a message in it. Prints the URL if there is no browser.')
    .option('--json', 'only print the URL, as JSON')
  withConnection(command)
    .addHelpText('after', examples('mailhatch open', 'mailhatch open 0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24'))
    .action(async (id: string | undefined, options: JsonOption) => {
      const { value } = findConnection(command).url
      const url = id === undefined ? `${value}/` : `${value}/m/${encodeURIComponent(id)}`
      const isOpen = !wantsJson(options) && (await openInBrowser(url))
      print({ url }, [isOpen ? `Opened ${url}` : url], options)
    })
}

/** False if no browser could be opened. */
async function openInBrowser(url: string): Promise<boolean> {
  const [name, ...words] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(name, [...words, url], { stdio: 'ignore', detached: true })
  try {
    const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(OPEN_MS_MAX) })) as [number | null]
    return code === 0
  } catch (error) {
    return error instanceof Error && error.name === 'AbortError'
  } finally {
    // Some browsers stay in the foreground. Only now, because unref earlier would let this process exit.
    child.unref()
  }
}
