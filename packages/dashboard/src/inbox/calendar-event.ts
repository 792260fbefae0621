/** An event of an iCalendar file (RFC 5545), as far as it is shown. All texts are untrusted. */
export type CalendarEvent = {
  /** Such as REQUEST, REPLY or CANCEL. */
  method: string | null
  summary: string | null
  location: string | null
  organizer: string | null
  status: string | null
  start: CalendarTime | null
  end: CalendarTime | null
  /** How often it repeats, such as WEEKLY. */
  repeats: string | null
}

/** The clock as written. `zone` is a name, `UTC`, or null for the time of the reader. A day has no time. */
export type CalendarTime = { at: number; zone: string | null; isDay: boolean }

/** No invitation is longer. */
const LINES_MAX = 5_000
const TEXT_MAX = 500

type Property = { name: string; parameters: Map<string, string>; value: string }

/** The first event; null if there is none. Parts of an event, such as its alarms, are ignored. */
export function parseCalendar(text: string): CalendarEvent | null {
  const stack: string[] = []
  const found = new Map<string, Property>()
  let method: string | null = null
  let hasEvent = false
  for (const line of unfold(text).slice(0, LINES_MAX)) {
    const property = parseLine(line)
    if (!property) continue
    const { name, value } = property
    if (name === 'BEGIN') stack.push(value.trim().toUpperCase())
    else if (name === 'END') {
      if (stack.pop() === 'VEVENT') break
    } else if (stack.at(-1) === 'VEVENT') {
      hasEvent = true
      if (!found.has(name)) found.set(name, property)
    } else if (name === 'METHOD' && stack.length === 1) method = cut(value).toUpperCase()
  }
  if (!hasEvent) return null
  const start = timeOf(found.get('DTSTART'))
  const textOf = (name: string) => (found.has(name) ? cut(unescapeText(found.get(name)!.value)) || null : null)
  return {
    method,
    summary: textOf('SUMMARY'),
    location: textOf('LOCATION'),
    organizer: organizerOf(found.get('ORGANIZER')),
    status: textOf('STATUS'),
    start,
    end: timeOf(found.get('DTEND')) ?? endAfter(start, found.get('DURATION')?.value ?? ''),
    repeats: /(?:^|;)FREQ=([A-Z]{1,12})/i.exec(found.get('RRULE')?.value ?? '')?.[1]?.toUpperCase() ?? null,
  }
}

/** A line that starts with a space continues the one before it. */
function unfold(text: string): string[] {
  return text.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/)
}

/** `NAME;PARAMETER="value":value`. Colons and semicolons within quotes are part of a parameter. */
function parseLine(line: string): Property | null {
  const parts: string[] = []
  let isQuoted = false
  let start = 0
  for (let index = 0; index < line.length; index++) {
    const character = line[index]
    if (character === '"') isQuoted = !isQuoted
    if (isQuoted || (character !== ';' && character !== ':')) continue
    parts.push(line.slice(start, index))
    start = index + 1
    if (character !== ':') continue
    const [name = '', ...parameters] = parts
    return {
      name: name.trim().toUpperCase(),
      parameters: new Map(parameters.map(parseParameter)),
      value: line.slice(start),
    }
  }
  return null
}

function parseParameter(text: string): [string, string] {
  const [name = '', ...value] = text.split('=')
  return [name.toUpperCase(), value.join('=').replaceAll('"', '')]
}

function unescapeText(value: string): string {
  return value.replaceAll(/\\(.)/g, (_, character: string) => (/n/i.test(character) ? ' ' : character))
}

function organizerOf(property: Property | undefined): string | null {
  if (!property) return null
  const address = cut(property.value.replace(/^\s*mailto:/i, ''))
  const name = cut(property.parameters.get('CN') ?? '')
  return (name === '' || name === address ? address : `${name} <${address}>`) || null
}

const TIME = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(Z)?)?$/

function timeOf(property: Property | undefined): CalendarTime | null {
  const match = TIME.exec(property?.value.trim() ?? '')
  if (!match) return null
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = match.slice(1, 6).map((part) => Number(part ?? 0))
  const zone = match[7] === undefined ? (property?.parameters.get('TZID') ?? null) : 'UTC'
  return {
    at: Date.UTC(year, month - 1, day, hour, minute),
    zone: zone === null ? null : cut(zone),
    isDay: match[4] === undefined,
  }
}

const DURATION = /^\+?P(?:(\d{1,6})W|(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?)$/i
const UNITS_MS = [604_800_000, 86_400_000, 3_600_000, 60_000, 1_000]

/** The end of an event with a duration instead of an end, in the zone of its start. */
function endAfter(start: CalendarTime | null, duration: string): CalendarTime | null {
  const match = DURATION.exec(duration.trim())
  if (!start || !match) return null
  const lengthMs = UNITS_MS.reduce((sum, unitMs, index) => sum + unitMs * Number(match[index + 1] ?? 0), 0)
  return lengthMs === 0 ? null : { ...start, at: start.at + lengthMs }
}

function cut(text: string): string {
  return text.trim().slice(0, TEXT_MAX)
}
