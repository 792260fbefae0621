import type { ChildProcess } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { fitLine } from '../../src/observe/log-line.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { SETTINGS } from '../../src/program/settings.ts'

// In a run of `npm run prove`, the folder PROVE_LOGS gets the output of every program and every secret that tests make. Its
// last part looks for the secrets in the output. Without the variable, nothing is written.

const folder = () => process.env['PROVE_LOGS'] ?? null

/** Shorter texts are no secrets of the product, and may be words. */
const CHARACTERS_MIN = 12
/** Keys, webhook secrets and links to a mail, as commands and responses show them once. */
const SHOWN = /\bmh_[0-9A-Za-z]{36}\b|\bwhsec_[\w+/=-]{12,}|(?<=\/view\/)[\w.-]{60,}/g
const SECRET_VARIABLES = Object.values(SETTINGS).flatMap(({ variable, isSecret }) => (isSecret ? [variable] : []))

/** Called where a test makes a secret. Returns it. */
export function madeSecret(value: string): string {
  const logs = folder()
  if (logs !== null && value.length >= CHARACTERS_MIN)
    appendFileSync(join(logs, 'secrets'), `${JSON.stringify(value)}\n`)
  return value
}

/** The keys, webhook secrets and links in a response or in what a command printed. */
export function madeSecretsIn(text: string): void {
  if (folder() !== null) for (const [secret] of text.matchAll(SHOWN)) madeSecret(secret)
}

/** The secrets among the settings of a program, and the passwords in their URLs. */
export function madeSecretSettings(environment: Record<string, string>): void {
  if (folder() === null) return
  for (const [name, value] of Object.entries(environment)) {
    if (SECRET_VARIABLES.includes(name.replace(/^MAILHATCH_/, '')) || name === 'MAILHATCH_API_KEY') madeSecret(value)
    const password = URL.parse(value)?.password ?? ''
    if (password !== '') madeSecret(decodeURIComponent(password))
  }
}

/** Programs log all that they can in such a run, so that there is something to search. */
export function loggingOfRun(): Record<string, string> {
  return folder() === null ? {} : { LOG_LEVEL: 'debug' }
}

/** The log of a server in this process: that of the product, which such a run keeps like those of other programs. */
export function keptLogger(level: string): pino.Logger {
  const logs = folder()
  if (logs === null) return createLogger(level, false)
  const file = join(logs, `stderr-${process.pid}.log`)
  return pino({ level }, { write: (line) => appendFileSync(file, `${fitLine(line.trimEnd())}\n`) })
}

/**
 * Keeps what a program prints. Without the standard output by default, where first starts and commands print keys and links
 * on purpose.
 */
export function keepOutput({ pid, stdout, stderr }: ChildProcess, { hasStdout = false } = {}): void {
  const logs = folder()
  if (logs === null) return
  const keep = (name: string) => (text: Buffer | string) => appendFileSync(join(logs, `${name}-${pid}.log`), text)
  stderr?.on('data', keep('stderr'))
  if (hasStdout) stdout?.on('data', keep('stdout'))
}
