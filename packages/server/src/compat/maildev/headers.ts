import type { Header } from '@mailhatch/sdk'
import { findHeader } from '../../mime/headers.ts'
import { trimSigns } from '../trim-signs.ts'

const PRIORITY_NAMES = ['x-priority', 'x-msmail-priority', 'importance']

/** As version 2 writes them: each by its name in lower case, with a list if there are several. */
export function allHeaders(headers: Header[]): Record<string, string | string[]> {
  return byName(
    headers.map(({ name, value }) => {
      const key = name.toLowerCase()
      return [key, PRIORITY_NAMES.includes(key) ? priorityIn(value) : value]
    }),
  )
}

/** Version 3 leaves out headers that its parser takes apart. */
const TAKEN_APART =
  /^(?:content-type|content-disposition|dkim-signature|date|from|to|cc|bcc|sender|reply-to|delivered-to|return-path|disposition-notification-to|list-.*)$/
/** The last one counts. */
const SINGLE = new Set(
  `message-id content-id in-reply-to subject content-transfer-encoding priority mime-version content-description precedence
   errors-to`.split(/\s+/),
)

/** As version 3 writes them. */
export function plainHeaders(headers: Header[]): Record<string, string | string[]> {
  const entries = headers.flatMap(({ name, value }): [string, string][] => {
    const key = name.toLowerCase()
    if (TAKEN_APART.test(key) || value === '') return []
    if (key === 'priority' || PRIORITY_NAMES.includes(key)) return [['priority', priorityIn(value)]]
    if (key === 'references') return value.split(/\s+/).map((id) => [key, inBrackets(id)])
    return [[key, key === 'message-id' || key === 'in-reply-to' ? inBrackets(value) : value]]
  })
  const last = new Map(entries.filter(([key]) => SINGLE.has(key)))
  return byName([...entries.filter(([key]) => !SINGLE.has(key)), ...last])
}

function byName(entries: [string, string][]): Record<string, string | string[]> {
  const groups = Map.groupBy(entries, ([name]) => name)
  return Object.fromEntries(
    Array.from(groups, ([name, group]) => [name, group.length === 1 ? group[0]![1] : group.map(([, value]) => value)]),
  )
}

/** `low`, `normal` or `high`. Null if no header says it. */
export function priorityOf(headers: Header[]): string | null {
  const found = headers.findLast(({ name }) => PRIORITY_NAMES.includes(name.toLowerCase()))
  return found ? priorityIn(found.value) : null
}

function priorityIn(value: string): string {
  const number = Number.parseInt(value, 10)
  if (!Number.isNaN(number)) return number === 3 ? 'normal' : number > 3 ? 'low' : 'high'
  const word = value.trim().toLowerCase()
  if (word === 'non-urgent' || word === 'low') return 'low'
  return word === 'urgent' || word === 'high' ? 'high' : 'normal'
}

/** The ids in a header such as `References`, without angle brackets. */
export function idsIn(headers: Header[], lowerCaseName: string): string[] {
  const value = findHeader(headers, lowerCaseName)?.value.trim() ?? ''
  return value === '' ? [] : value.split(/\s+/).map((id) => trimSigns(id, { start: '<', end: '>' }))
}

function inBrackets(id: string): string {
  return `${id.startsWith('<') ? '' : '<'}${id}${id.endsWith('>') ? '' : '>'}`
}
