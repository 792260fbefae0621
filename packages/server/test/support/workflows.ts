import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from './markdown.ts'
import { parseYaml, type Yaml } from './yaml.ts'

type Part = { [key: string]: Yaml }
export type Step = { [key: string]: Yaml }

export const textOf = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')
export const workflow = (path: string): Part => parseYaml(textOf(path))[0] as Part

/** The steps of all jobs, or of a composite action. */
export function stepsOf({ jobs, runs }: Part): Step[] {
  const parts = jobs ? Object.values(jobs as { [name: string]: Part }) : [runs as Part]
  return parts.flatMap(({ steps }) => steps as Step[])
}

/** A full commit, and the version that it is, for people. */
const PINNED = /^\s*(?:- )?uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/

export function unpinned(source: string): string[] {
  return source.split('\n').filter((line) => /^\s*(?:- )?uses:/.test(line) && !PINNED.test(line))
}

/** Scripts of package.json and files of the repository that a command names and that do not exist. */
export function missingIn(command: string): string[] {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
  const named = Array.from(command.matchAll(/npm run ([\w:-]+)/g), ([, name]) => name!)
  const paths = Array.from(
    command.matchAll(/(?<![\w/.$-])(?:\.\/)?((?:\.ci|action|deploy|docs|packages|scripts|examples)\/[\w./-]+)/g),
    ([, path]) => path!,
  )
  return [...named.filter((name) => !(name in scripts)), ...paths.filter((path) => !existsSync(join(REPOSITORY, path)))]
}

/** Expressions in a command become part of its text, so a branch or a title could add commands. They belong in `env`. */
export function expressionsInCommands(steps: Step[]): string[] {
  return steps.map(({ run }) => (run as string | undefined) ?? '').filter((run) => run.includes('${{'))
}
