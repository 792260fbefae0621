import type { z } from 'zod'
import type { ErrorDetails } from '../domain/errors.ts'

/** The problems of each field, without the words of the schema library. */
export function detailsOf(error: z.ZodError): ErrorDetails {
  const details: ErrorDetails = {}
  for (const issue of error.issues) {
    const field = issue.path.join('.') || 'body'
    details[field] = [...(details[field] ?? []), problemOf(issue)]
  }
  return details
}

/** A predicate that follows the name of the field, as in our own messages. */
function problemOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `must be ${alternatives(issue.values)}`
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? `must be ${alternatives(issue.options)}`
        : 'is not valid'
    case 'invalid_type':
      return typeProblem(issue)
    case 'too_small':
      return `must ${amount(issue, 'at least', issue.minimum)}`
    case 'too_big':
      return `must ${amount(issue, 'at most', issue.maximum)}`
    case 'unrecognized_keys':
      return `must not have ${alternatives(issue.keys)}`
    // A schema with its own message has one that fits; the message of the library has the pattern.
    case 'invalid_format':
      return issue.message.startsWith('Invalid') ? 'does not have the right form' : issue.message
    default:
      return issue.message
  }
}

function typeProblem({ expected, message }: z.core.$ZodIssueInvalidType): string {
  if (message.endsWith('received undefined')) return 'is required'
  if (expected === 'int') return 'must be a whole number'
  return `must be ${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`
}

const UNITS: Record<string, [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
}

function amount(
  { origin, message }: { origin: string; message: string },
  bound: string,
  value: number | bigint,
): string {
  // The schema may say it better.
  if (!message.startsWith('Too ')) return message.replace(/^must /, '')
  const units = UNITS[origin]
  return units === undefined ? `be ${bound} ${value}` : `have ${bound} ${value} ${units[Number(value) === 1 ? 0 : 1]}`
}

const alternatives = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(' or ')
