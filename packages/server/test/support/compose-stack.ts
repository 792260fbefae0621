import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseYaml, type Yaml } from './yaml.ts'

const DEPLOY = join(import.meta.dirname, '../../../../deploy')

type Environment = Record<string, string>
type Service = { environment?: { [name: string]: Yaml } }

export function recipeText(name: string): string {
  return readFileSync(join(DEPLOY, name), 'utf8')
}

/** `.env` from its example, with the given values. */
export function filledIn(values: Environment): Environment {
  const lines = recipeText('.env.example').matchAll(/^([A-Z0-9_]+)=(.*)$/gm)
  const example = Object.fromEntries(Array.from(lines, ([, name, value]) => [name!, value!]))
  return { ...example, ...values }
}

/** The environment of a service from these files in order, with `.env` applied and host names replaced. */
export function environmentOfService(
  service: string,
  { files, env, hosts }: { files: string[]; env: Environment; hosts: Environment },
): Environment {
  const given = files.map((file) => {
    const [document] = parseYaml(recipeText(file)) as [{ services: { [name: string]: Service } }]
    return document.services[service]?.environment ?? {}
  })
  const merged = Object.assign({}, ...given) as Environment
  return Object.fromEntries(
    Object.entries(merged).map(([name, value]) => [name, withHosts(interpolated(value, env), hosts)]),
  )
}

/** Expands as Compose does: `${NAME:?…}` and `${NAME:-…}`. */
function interpolated(text: string, env: Environment): string {
  return text.replace(/\$\{([A-Z0-9_]+)(?::([?-])([^}]*))?\}/g, (_, name: string, kind: string, rest: string) => {
    const value = env[name] ?? ''
    if (value !== '') return value
    if (kind === '?') throw new Error(`${name} ${rest}`)
    return rest
  })
}

export function withHosts(text: string, hosts: Environment): string {
  return Object.entries(hosts).reduce((replaced, [from, to]) => replaced.replaceAll(from, to), text)
}
