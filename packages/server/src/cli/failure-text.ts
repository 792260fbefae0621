import { MailhatchError, MessageTimeoutError, ValidationError } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { timeoutText } from './timeout-text.ts'
import { typedField, typedName } from './typed-flags.ts'

/** The sentences for an error. Names are those of the command line, not those of the API or the SDK. */
export function failureText(error: unknown, command: Command | null): string {
  if (error instanceof MessageTimeoutError) return timeoutText(error, command)
  if (error instanceof ValidationError) return validationText(error, command)
  if (isFileError(error)) return fileText(error)
  const message = error instanceof Error ? error.message : String(error)
  // The SDK puts the names of its own options in backquotes.
  return error instanceof MailhatchError
    ? message.replaceAll(/`(\w+)`/g, (quoted, name: string) => {
        const typed = typedName(command, name)
        return typed === name ? quoted : typed
      })
    : message
}

function validationText({ body, message }: ValidationError, command: Command | null): string {
  const problems = Object.entries(body.details ?? {}).map(([field, sentences]) => {
    const text = sentences.join(', ')
    // Some details continue the name, as in "--after is not a cursor"; others are sentences of their own.
    return `${typedField(command, field)}${/^\p{Lu}/u.test(text) ? ': ' : ' '}${text}`
  })
  const text = problems.length === 0 ? message : problems.join('; ')
  return WEBHOOK_CODES.includes(body.code) ? `${text} ${LOCAL_RECEIVER}` : text
}

/** Refusals of a receiver on this machine, or on a private network. */
const WEBHOOK_CODES = ['webhook_url_insecure', 'webhook_url_private']
const LOCAL_RECEIVER =
  'For a receiver on this machine, run mailhatch listen --forward-to with its URL, or start the server with its host in WEBHOOK_ALLOWED_HOSTS.'

type FileError = Error & { code: string; path: string }

const FILE_TEXTS: Record<string, (path: string) => string> = {
  ENOENT: (path) => `There is no file or folder ${path}.`,
  EEXIST: (path) => `${path} already exists.`,
  EISDIR: (path) => `${path} is a folder; a file is needed.`,
  ENOTDIR: (path) => `${path} is not a folder, or is in something that is not one.`,
  EACCES: (path) => `No permission to use ${path}.`,
}

function isFileError(error: unknown): error is FileError {
  return error instanceof Error && 'code' in error && 'path' in error && String(error.code) in FILE_TEXTS
}

function fileText({ code, path }: FileError): string {
  return FILE_TEXTS[code]!(path)
}
