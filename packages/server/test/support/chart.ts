import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderTemplate } from './helm-template.ts'
import { parseYaml, type Yaml } from './yaml.ts'

export type Part = { [key: string]: Yaml }

const DEPLOY = join(import.meta.dirname, '../../../../deploy')
export const CHART = join(DEPLOY, 'helm/mailhatch')
export const TEMPLATES = ['api', 'worker', 'migrate', 'settings']

const read = (path: string) => readFileSync(path, 'utf8')
export const valuesOfChart = () => parseYaml(read(join(CHART, 'values.yaml')))[0] as Part
export const chartFile = () => parseYaml(read(join(CHART, 'Chart.yaml')))[0] as Part

/** What the chart creates, by kind and name. */
export function renderChart(values: Part, release = 'mailhatch'): Map<string, Part> {
  const { appVersion } = chartFile()
  const root = { Values: values, Release: { Name: release }, Chart: { AppVersion: appVersion! } }
  return byName(
    TEMPLATES.map((name) => renderTemplate(read(join(CHART, `templates/${name}.yaml`)), root)).join('\n---\n'),
  )
}

export function manifests(): Map<string, Part> {
  return byName(TEMPLATES.map((name) => read(join(DEPLOY, `kubernetes/${name}.yaml`))).join('\n---\n'))
}

export function byName(source: string): Map<string, Part> {
  const documents = parseYaml(source).filter((document) => document !== null) as Part[]
  return new Map(
    documents.map((document) => [
      `${document['kind'] as string} ${(document['metadata'] as Part)['name'] as string}`,
      document,
    ]),
  )
}
