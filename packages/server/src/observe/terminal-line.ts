import { styleText } from 'node:util'
import pino from 'pino'

type Line = { level: number; time: number; msg?: string; pid?: number; hostname?: string }

const COLORS = { trace: 'gray', debug: 'blue', info: 'green', warn: 'yellow', error: 'red', fatal: 'red' } as const
const INDENT = '    '

/** A JSON log line for people: time, level and message, then each field on its own line. */
export function terminalLine(line: string, hasColors: boolean): string {
  // Our own lines.
  const { level, time, msg = '', pid: _pid, hostname: _hostname, ...fields } = JSON.parse(keepEscapes(line)) as Line
  const name = pino.levels.labels[level] as keyof typeof COLORS
  const label = name.toUpperCase()
  const shownLabel = hasColors ? styleText(COLORS[name], label, { validateStream: false }) : label
  // Swedish writes 24 hours with leading zeros.
  return `[${new Date(time).toLocaleTimeString('sv')}] ${shownLabel}:${show(msg, INDENT)}${show(fields, INDENT)}`
}

/** Line ends are indented, so that no value can look like another log line. */
function show(value: unknown, indent: string): string {
  if (typeof value === 'string') return ` ${value.replaceAll('\n', `\n${indent}`)}`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ` ${JSON.stringify(value)}`
  const fields = Object.entries(value).map(([name, each]) => `\n${indent}${name}:${show(each, indent + INDENT)}`)
  return fields.join('')
}

/** Keeps the escapes of JSON, except line ends and tabs, when the line is parsed. */
function keepEscapes(line: string): string {
  return line.replace(/\\(?:u[\da-f]{4}|.)/gi, (escaped) => (/^\\["\\/nt]/.test(escaped) ? escaped : `\\${escaped}`))
}
