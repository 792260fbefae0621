import { resolve } from 'node:path'
import type { Command } from 'commander'
import { AppError } from '../domain/errors.ts'
import { createToken, linkWith } from '../manage/one-time-tokens.ts'
import { ensureOwner } from '../manage/owner.ts'
import { readConfig } from '../program/config.ts'
import { findLocalAddresses } from '../program/local-addresses.ts'
import { newId, newSecret } from '../random.ts'
import { openInBrowser } from './browser.ts'
import { findConnection, isLoopback, withConnection } from './connection.ts'
import { examples } from './examples.ts'
import { print, wantsJson, type JsonOption } from './output.ts'

const HELP = `
Signs in as the owner of the first team if the data folder of the server is on this machine: the link works once, for 10 minutes.
An API key alone is not enough.
`

export function addOpenCommand(program: Command): void {
  const command = program
    .command('open [id]')
    .description('Open the dashboard, or a message in it, signed in. Prints the URL if there is no browser.')
    .option('--json', 'only print the URL, as JSON')
  withConnection(command)
    .addHelpText('after', HELP)
    .addHelpText('after', examples('mailhatch open', 'mailhatch open 0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24'))
    .action(async (id: string | undefined, options: JsonOption & { dataDir: string }) => {
      const { value } = findConnection(command).url
      const page = id === undefined ? '/' : `/m/${encodeURIComponent(id)}`
      const link = await createSignInLink(value, options.dataDir, page)
      const url = link ?? `${value}${page}`
      const isOpen = !wantsJson(options) && (await openInBrowser(url))
      // The link has been handed to the browser, and a terminal may be recorded.
      print({ url }, [isOpen ? `Opened ${value}${page}${link === null ? '' : ', signed in'}` : url], options)
    })
}

/** Null unless the server that is to be opened runs on this machine and its data folder can be written. */
async function createSignInLink(url: string, dataDir: string, page: string): Promise<string | null> {
  const local = findLocalAddresses(resolve(dataDir))
  if (local === null || !isSameServer(url, local.url)) return null
  const { openStore } = await import('../program/open-store.ts')
  const config = { ...readConfig('command'), dataDir: resolve(dataDir), databaseUrl: null }
  const store = await openStore(config, { error: (_, message) => console.error(message) })
  try {
    const owner = await ensureOwner({ store, newId, now: Date.now })
    const link = linkWith(
      await createToken({ store, newSecret, now: Date.now }, owner.id, 'sign-in'),
      'sign-in',
      local.appUrl,
    )
    return page === '/' ? link : `${link}&next=${encodeURIComponent(page)}`
  } catch (error) {
    // A separate API may have no team of a first start.
    if (error instanceof AppError) return null
    throw error
  } finally {
    await store.close()
  }
}

function isSameServer(one: string, other: string): boolean {
  const [here, there] = [new URL(one), new URL(other)]
  const isSameHost = here.hostname === there.hostname || (isLoopback(here.hostname) && isLoopback(there.hostname))
  return isSameHost && here.port === there.port && here.protocol === there.protocol
}
