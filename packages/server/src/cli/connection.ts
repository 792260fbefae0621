import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Mailhatch, type MailhatchOptions } from '@mailhatch/sdk'
import { Option, type Command } from 'commander'
import { AppError } from '../domain/errors.ts'
import { findLocalAddresses } from '../program/local-addresses.ts'
import { readCredentials, readProjectFile } from './connection-files.ts'
import { CONNECTION_GROUP } from './typed-flags.ts'

const DEFAULT_URL = 'http://localhost:3003'
export const SMTP_PORT = 2525

/** A value and its source. */
export type Found = { value: string; from: string }

export type Connection = { url: Found; apiKey: Found | null; smtp: Found }

type ConnectionOptions = { url?: string; apiKey?: string; smtp?: string; dataDir: string; configHome?: string }

/** Adds the options that select the server and the key. */
export function withConnection(command: Command): Command {
  const options = [
    new Option('--url <url>', 'URL of the Mailhatch server').env('MAILHATCH_URL'),
    new Option('--api-key <key>', 'API key').env('MAILHATCH_API_KEY'),
    new Option('--data-dir <folder>', 'data folder of a server on this machine, to find its addresses and key')
      .env('DATA_DIR')
      .default('.mailhatch'),
    new Option('--config-home <folder>', 'folder that contains mailhatch/credentials.json')
      .env('XDG_CONFIG_HOME')
      .hideHelp(),
  ]
  for (const option of options) command.addOption(option.helpGroup(CONNECTION_GROUP))
  return command
}

export function withSmtp(command: Command): Command {
  return withConnection(command).addOption(
    new Option(
      '--smtp <address>',
      `host:port, or smtp://user:password@host:port (default: the address of the server on this machine, else port ${SMTP_PORT} of the server)`,
    )
      .env('MAILHATCH_SMTP')
      .helpGroup(CONNECTION_GROUP),
  )
}

/** In order of precedence: flag, environment, project file, credentials file, a server on this machine, default. */
export function findConnection(command: Command, folder = process.cwd()): Connection {
  const options = command.opts<ConnectionOptions>()
  const project = readProjectFile(folder)
  const credentials = readCredentials(options.configHome || join(homedir(), '.config'))
  const given = (name: 'url' | 'apiKey' | 'smtp') => [optionOf(command, name)]
  const inFiles = (name: 'url' | 'smtp') => [project, credentials].map((file) => found(file?.[name], file?.path))

  const left = findLocalAddresses(options.dataDir)
  const url = first([...given('url'), ...inFiles('url'), found(left?.url, left?.path)]) ?? {
    value: DEFAULT_URL,
    from: 'default',
  }
  const { hostname } = readUrl(url)
  url.value = url.value.replace(/\/+$/, '')
  // Never send a key to a server it does not belong to.
  const isMeant = (credentials?.url ?? DEFAULT_URL).replace(/\/+$/, '') === url.value
  const apiKey = first([
    ...given('apiKey'),
    isMeant ? found(credentials?.apiKey, credentials?.path) : null,
    isLoopback(hostname) ? keyFile(options.dataDir) : null,
  ])
  const leftSmtp = url.value === left?.url ? found(left.smtp ?? undefined, left.path) : null
  const smtp = first([...given('smtp'), ...inFiles('smtp'), leftSmtp]) ?? {
    value: `${hostname}:${SMTP_PORT}`,
    from: 'default',
  }
  return { url, apiKey, smtp }
}

/** A client with a key; throws if there is none. */
export function connect(command: Command): Mailhatch {
  return clientOf(findConnection(command))
}

export function clientOf({ url, apiKey }: Connection, options: Pick<MailhatchOptions, 'retries'> = {}): Mailhatch {
  if (apiKey !== null) return new Mailhatch({ ...options, url: url.value, apiKey: apiKey.value })
  const advice = 'pass --api-key, set MAILHATCH_API_KEY, or point --data-dir at the data folder of the server.'
  throw new AppError('unauthorized', `No API key for ${url.value}: ${advice}`)
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[?::1\]?)$/.test(hostname)
}

function readUrl({ value, from }: Found): URL {
  const url = URL.parse(value)
  // Requests to such a URL fail, and a message must not show it.
  if (url?.username || url?.password)
    throw new AppError('validation_failed', `The server URL (${from}) must have no user name and no password.`)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new AppError('validation_failed', `${value} (${from}) is not a server URL such as ${DEFAULT_URL}.`)
}

function optionOf(command: Command, name: 'url' | 'apiKey' | 'smtp'): Found | null {
  const { long, envVar } = command.options.find((option) => option.attributeName() === name) ?? {}
  const value = command.opts<ConnectionOptions>()[name]
  return found(value, command.getOptionValueSource(name) === 'env' ? envVar : (long ?? undefined))
}

/** Treats an empty value as missing. */
function found(value: string | undefined, from: string | undefined): Found | null {
  return value && from ? { value, from } : null
}

function keyFile(dataDir: string): Found | null {
  const path = join(dataDir, 'api-key')
  return existsSync(path) ? found(readFileSync(path, 'utf8').trim(), path) : null
}

function first(candidates: (Found | null)[]): Found | null {
  return candidates.find((candidate) => candidate !== null) ?? null
}
