import { MailhatchError, MessageTimeoutError, ValidationError } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { timeoutText } from './timeout-text.ts'
import { typedName } from './typed-flags.ts'

/** The sentences for an error. Names are those of the command line, not those of the API or the SDK. */
export function failureText(error: unknown, command: Command | null): string {
  if (error instanceof MessageTimeoutError) return timeoutText(error, command)
  if (error instanceof ValidationError) return validationText(error, command)
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
  const problems = Object.entries(body.details ?? {}).map(
    ([field, sentences]) => `${typedName(command, field)}: ${sentences.join(', ')}`,
  )
  return problems.length === 0 ? message : problems.join('; ')
}
