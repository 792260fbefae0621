import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PEERS } from '../compat/peers.ts'
import { localUrl, withPort, type Config } from '../program/config.ts'
import { describeLeftAlone } from '../program/left-alone.ts'
import { linkWith } from '../manage/one-time-tokens.ts'
import { packageVersion } from '../http/package-version.ts'
import { KEY_FILE } from '../program/key-file.ts'
import type { Running } from '../program/node.ts'
import { shellQuoted } from './shell-quoted.ts'

/** Wide enough for the longest label. */
const LABEL_WIDTH = 'Dashboard'.length + 2

/**
 * What every start prints. The key appears only at the first one, and not if the settings have it: the output is often kept
 * as a log. A sign-in link appears then, or if a token is given.
 */
export function welcome(config: Config, running: Running, signInToken: string | null): string {
  const { apiPort, workerPort, smtpPort, compatPort, firstStart } = running
  const url = localUrl(apiPort ?? 0, config.host)
  const keyFile = join(config.dataDir, KEY_FILE)
  const notice = describeLeftAlone(config.leftAlone)
  const { appUrl } = withPort(config, apiPort ?? config.port)
  // `startMailhatch` of the SDK finds the ports in the first two lines.
  const lines = [
    ...(smtpPort === null ? [] : [line('SMTP', `${config.smtpHost}:${smtpPort}`)]),
    ...(apiPort === null ? [] : [line('API', url), line('Dashboard', `${appUrl}/`)]),
    ...(compatPort === null || config.compat === null
      ? []
      : [line(PEERS[config.compat], localUrl(compatPort, config.compatHost))]),
    ...(workerPort === null ? [] : [line('Worker', localUrl(workerPort, config.host))]),
    line('Version', packageVersion()),
  ]
  if (firstStart) {
    const anyAddress = config.bootstrapDomain === null ? '' : '  (any address on this domain works)'
    lines.push(line('Send to', `${firstStart.address}${anyAddress}`))
    const isGiven = config.bootstrapApiKey !== null
    lines.push(
      line(
        'API key',
        isGiven ? `as set; stored in ${keyFile}` : `${firstStart.apiKey}  (shown only once; stored in ${keyFile})`,
      ),
    )
  } else if (apiPort !== null && existsSync(keyFile)) {
    lines.push(line('API key', `in ${keyFile}`))
  }
  if (apiPort !== null) {
    const command = signInCommand(config, running)
    if (signInToken === null) lines.push(line('Sign in', command))
    else
      lines.push(
        line(
          'Sign in',
          `${linkWith(signInToken, 'sign-in', appUrl)}  (works once, for 10 minutes; for a new link: ${command})`,
        ),
      )
  }
  if (notice !== null) lines.push(line('Note', notice))
  return ['Mailhatch is ready.', '', ...lines, '', ...(firstStart ? firstSteps(config, firstStart, url) : [])].join(
    '\n',
  )
}

function line(label: string, text: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${text}`
}

function firstSteps(
  { dataDir, bootstrapApiKey }: Config,
  { address, apiKey }: { address: string; apiKey: string },
  url: string,
): string[] {
  const [mailbox] = address.split('+')
  const shownKey = bootstrapApiKey === null ? apiKey : `$(cat ${shellQuoted(join(dataDir, KEY_FILE))})`
  return [
    `Wait for the next mail to ${mailbox}:`,
    '',
    `  npx mailhatch wait --new --mailbox ${mailbox}${dataDirFlag(dataDir)}`,
    '',
    'The same without the program; since keeps older mail out:',
    '',
    // The shell inserts the time.
    `  curl -H "Authorization: Bearer ${shownKey}" "${url}/v1/messages/latest?mailbox=${mailbox}&wait=60&since=$(date -u +%FT%TZ)"`,
    '',
  ]
}

/** `open` finds a server through its data folder. On PostgreSQL, and without a first team, people sign in by address. */
function signInCommand({ dataDir, databaseUrl }: Config, { createSignInToken }: Running): string {
  if (databaseUrl !== null || !createSignInToken) return 'npx mailhatch users sign-in-link <email>'
  return `npx mailhatch open${dataDirFlag(dataDir)}`
}

/** Commands look in this folder by default. */
function dataDirFlag(dataDir: string): string {
  return dataDir === resolve('.mailhatch') ? '' : ` --data-dir ${shellQuoted(dataDir)}`
}
