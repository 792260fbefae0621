import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { findUnknownInFile, type Values } from './config-sources.ts'

/** Reads lines such as `PORT=4000`. Every line that would have no effect is a problem. */
export function readSettingsFile(path: string): { values: Values; problems: string[] } {
  const text = readFileSync(path, 'utf8')
  const values = parseEnv(text)
  return { values, problems: [...findOddLines(text), ...findUnknownInFile(values)] }
}

/** A quoted value may span lines, which then look like anything. */
const QUOTED_VALUE = /=[^\S\n]*(["'`])[^]*?\1/g
const COMMENT_OR_ASSIGNMENT = /^\s*(#|$)|=/

function findOddLines(text: string): string[] {
  // Keeps the line breaks, so that the numbers stay right.
  const lines = text.replaceAll(QUOTED_VALUE, (value) => `=${value.replaceAll(/[^\n=]/g, '')}`).split('\n')
  return lines.flatMap((line, index) => {
    if (COMMENT_OR_ASSIGNMENT.test(line)) return []
    return `line ${index + 1}: must be NAME=value`
  })
}
