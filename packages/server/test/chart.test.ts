import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CHART, chartFile, manifests, renderChart, TEMPLATES, valuesOfChart, type Part } from './support/chart.ts'
import { renderTemplate } from './support/helm-template.ts'

/** Without what only Helm uses: the hook of the job, and the checksums that replace pods. */
function withoutAnnotations(documents: Map<string, Part>): Record<string, Part> {
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(without)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).filter(([key]) => key !== 'annotations')
    return Object.fromEntries(entries.map(([key, item]) => [key, without(item)]))
  }
  return without(Object.fromEntries(documents)) as Record<string, Part>
}

/** A copy of the default values with one changed. */
function valuesWith(path: string[], value: string): Part {
  const values = structuredClone(valuesOfChart())
  const parent = path.slice(0, -1).reduce((part, key) => part[key] as Part, values)
  expect(Object.keys(parent)).toContain(path.at(-1))
  parent[path.at(-1)!] = value
  return values
}

const allOf = (documents: Map<string, Part>) => JSON.stringify([...documents])

test('with its default values, the chart creates what the manifests have', () => {
  const files = readdirSync(join(CHART, 'templates')).filter((name) => name.endsWith('.yaml'))
  expect(files.toSorted()).toEqual(TEMPLATES.map((name) => `${name}.yaml`).toSorted())
  expect(manifests().size).toBe(9)
  expect(withoutAnnotations(renderChart(valuesOfChart()))).toEqual(withoutAnnotations(manifests()))
  // Control: another default is noticed.
  const other = renderChart(valuesWith(['api', 'replicas'], '4'))
  expect(withoutAnnotations(other)).not.toEqual(withoutAnnotations(manifests()))
})

test('the image of the chart is that of the manifests, and its version that of the packages', () => {
  expect(chartFile()['version']).toBe(chartFile()['appVersion'])
  const rendered = allOf(renderChart(valuesWith(['image', 'repository'], 'registry.example.com/tools/mailhatch')))
  const image = `registry.example.com/tools/mailhatch:${chartFile()['appVersion'] as string}`
  expect(rendered.split(`"image":"${image}"`)).toHaveLength(4)
  expect(allOf(renderChart(valuesWith(['image', 'tag'], '9.9.9'))).split(':9.9.9"')).toHaveLength(4)
})

test('every value of the chart has an effect', () => {
  const leavesOf = (part: Part, path: string[] = []): string[][] =>
    Object.entries(part).flatMap(([key, value]) =>
      typeof value === 'string' ? [[...path, key]] : leavesOf(value as Part, [...path, key]),
    )
  const leaves = leavesOf(valuesOfChart())
  expect(leaves.length).toBeGreaterThan(30)
  const defaults = allOf(renderChart(valuesOfChart()))
  const changed = (path: string[]) => (path.at(-1) === 'enabled' ? '' : 'other')
  const without = leaves.filter((path) => allOf(renderChart(valuesWith(path, changed(path)))) === defaults)
  expect(without).toEqual([])
})

test('a second release has its own names, and finds its own API', () => {
  const second = renderChart(valuesOfChart(), 'staging')
  expect([...second.keys()].filter((name) => name.includes('mailhatch'))).toEqual([])
  expect(second.get('ConfigMap staging')!['data']).toMatchObject({ WEBHOOK_URL: 'http://staging-api/webhooks/inbox' })
  const named = allOf(second).match(/mailhatch-(?:api|worker|smtp|migrate)/g)
  expect(named).toBeNull()
})

test('an existing secret replaces that of the chart', () => {
  const own = renderChart(valuesWith(['api', 'secret', 'existing'], 'from-the-vault'))
  expect([...own.keys()].filter((name) => name.startsWith('Secret'))).toEqual(['Secret mailhatch-worker'])
  expect(allOf(own).split('{"secretRef":{"name":"from-the-vault"}}')).toHaveLength(3)
})

test('changed settings and secrets replace the pods that read them', () => {
  const annotationsOf = (values: Part, name: string) => {
    const { template } = renderChart(values).get(`Deployment mailhatch-${name}`)!['spec'] as { template: Part }
    return JSON.stringify((template['metadata'] as Part)['annotations'])
  }
  const settings = valuesWith(['settings', 'APP_URL'], 'https://other.example.com')
  const secret = valuesWith(['api', 'secret', 'data', 'SECRET_KEY'], 'other')
  for (const name of ['api', 'worker']) {
    expect(annotationsOf(settings, name)).not.toBe(annotationsOf(valuesOfChart(), name))
  }
  expect(annotationsOf(secret, 'api')).not.toBe(annotationsOf(valuesOfChart(), 'api'))
  expect(annotationsOf(secret, 'worker')).toBe(annotationsOf(valuesOfChart(), 'worker'))
})

test('control: the reader of templates refuses what it does not know', () => {
  expect(renderTemplate('a: {{ .b | quote }}', { b: 'c' })).toBe('a: "c"')
  for (const wrong of ['{{ include "x" . }}', '{{ .missing }}', '{{- if .b }}', '{{ $gone | quote | upper }}']) {
    expect(() => renderTemplate(wrong, { b: 'c' })).toThrow(/not understood|no value|missing/)
  }
})
