import { createHash } from 'node:crypto'
import type { Yaml } from './yaml.ts'

type Scope = { root: Yaml; variables: Record<string, Yaml> }

/** The functions that the chart uses. */
const FUNCTIONS: Record<string, (...given: Yaml[]) => Yaml> = {
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  nindent: (columns, text) => (text as string).replaceAll(/^/gm, ' '.repeat(Number(columns))).replace(/^/, '\n'),
  ne: (one, other) => (one === other ? '' : 'true'),
  not: (value) => (isTrue(value) ? '' : 'true'),
  print: (...parts) => (parts as string[]).join(''),
  quote: (value) => JSON.stringify(value),
  sha256sum: (text) =>
    createHash('sha256')
      .update(text as string)
      .digest('hex'),
  toJson: (value) => JSON.stringify(value),
  toString: (value: Yaml) => value,
  toYaml: (value) => blockOf(value),
}

/**
 * Fills in a template of the chart. Knows the subset of Helm's language that the chart uses, and throws on anything else; a long
 * test compares it with Helm itself.
 */
export function renderTemplate(template: string, root: Yaml): string {
  return render(partsOf(template), { root, variables: { $: root } })
}

type Part = { text: string } | { action: string }

/** `{{-` also removes the white space before it. */
function partsOf(template: string): Part[] {
  return template.split(/(\s*\{\{- .*? \}\}|\{\{ .*? \}\})/).map((text) => {
    const [, action] = /\{\{-? (.*) \}\}$/.exec(text) ?? []
    return action === undefined ? { text } : { action }
  })
}

function render(parts: Part[], scope: Scope): string {
  let output = ''
  while (parts.length > 0) {
    const part = parts.shift()!
    if ('text' in part) output += part.text
    else if (/^(?:if|range) /.test(part.action)) output += renderBlock(part.action, blockBelow(parts), scope)
    else output += evaluate(part.action, scope) as string
  }
  return output
}

/** The parts up to the `end` that belongs to an action, which is removed. */
function blockBelow(parts: Part[]): Part[] {
  const block: Part[] = []
  for (let depth = 1; ;) {
    const part = parts.shift()
    if (part === undefined) throw new Error('an `end` is missing')
    if ('action' in part && /^(?:if|range) /.test(part.action)) depth++
    if ('action' in part && part.action === 'end' && --depth === 0) return block
    block.push(part)
  }
}

function renderBlock(action: string, block: Part[], scope: Scope): string {
  if (action.startsWith('if ')) return isTrue(evaluate(action.slice(3), scope)) ? render(block, scope) : ''
  const [, key, value, list] = /^range (\$\w+), (\$\w+) := (.*)$/.exec(action)!
  const entries = Object.entries(evaluate(list!, scope) as { [key: string]: Yaml })
  const variablesOf = ([name, item]: [string, Yaml]) => ({ ...scope.variables, [key!]: name, [value!]: item })
  return entries.map((entry) => render([...block], { ...scope, variables: variablesOf(entry) })).join('')
}

/** A pipeline: each result is the last argument of the next function. */
function evaluate(expression: string, scope: Scope): Yaml {
  let result: Yaml[] = []
  for (const command of expression.split(' | ')) result = [call(command, result, scope)]
  return result[0]!
}

function call(command: string, piped: Yaml[], scope: Scope): Yaml {
  const [name, ...words] = command.match(/\(.*?\)|"[^"]*"|\S+/g)!
  const given = [...words.map((word) => operand(word, scope)), ...piped]
  if (name === 'tpl') return renderTemplate(given[0] as string, given[1]!)
  const known = FUNCTIONS[name]
  return known ? known(...given) : operand(name, scope)
}

function operand(word: string, scope: Scope): Yaml {
  if (word.startsWith('(')) return evaluate(word.slice(1, -1), scope)
  if (word.startsWith('"')) return word.slice(1, -1)
  if (/^\d+$/.test(word)) return word
  if (word.startsWith('$')) return scope.variables[word]!
  if (!word.startsWith('.')) throw new Error(`not understood: ${word}`)
  let value = scope.root
  for (const name of word.slice(1).split('.')) {
    value = (value as { [key: string]: Yaml })[name]!
    if (value === undefined) throw new Error(`no value: ${word}`)
  }
  return value
}

function isTrue(value: Yaml): boolean {
  return value !== null && value !== '' && value !== 'false'
}

function blockOf(value: Yaml, indent = ''): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return Object.entries(value as { [key: string]: Yaml })
    .map(([key, item]) => `${indent}${key}:${typeof item === 'string' ? ' ' : '\n'}${blockOf(item, `${indent}  `)}`)
    .join('\n')
}
