import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  labelOf,
  type ComparedAnswer,
  type ComparedCall,
  type ComparedPeer,
  type Run,
  type RunFacts,
} from './comparison.ts'

type Line = { call: ComparedCall; answer: ComparedAnswer }

/** The first line has the facts of the run, each other one a call and its answer. */
export function writeRecording(peer: ComparedPeer, calls: ComparedCall[], { answers, ...facts }: Run): void {
  const lines = calls.map((call, index): Line => ({ call, answer: answers[index]! }))
  writeFileSync(fileOf(peer), [facts, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''))
}

export function readRecording(peer: ComparedPeer): { calls: ComparedCall[]; run: Run } {
  const [first = '', ...others] = readFileSync(fileOf(peer), 'utf8').trim().split('\n')
  // Written above.
  const facts = JSON.parse(first) as RunFacts
  const lines = others.map((line) => JSON.parse(line) as Line)
  return { calls: lines.map(({ call }) => call), run: { ...facts, answers: lines.map(({ answer }) => answer) } }
}

function fileOf(peer: ComparedPeer): string {
  return join(import.meta.dirname, `${labelOf(peer)}-answers.jsonl`)
}
