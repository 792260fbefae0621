import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMeters } from '../src/observe/meters.ts'
import { METRICS, type MetricDeclaration } from '../src/observe/metric-table.ts'
import * as replies from '../src/worker/smtp/replies.ts'
import { anchorsOf, REPOSITORY } from './support/markdown.ts'
import { promtool } from './support/promtool.ts'
import { temporaryFolder } from './support/server.ts'
import { parseYaml } from './support/yaml.ts'

const RULES = 'deploy/prometheus/alerts.yaml'
const RULE_TESTS = 'deploy/prometheus/alerts.test.yaml'
const PAGE = 'docs/operate/monitoring.md'
const PAGE_URL = `https://github.com/mailhatch/mailhatch/blob/main/${PAGE}`

type Alert = { alert: string; expr: string; labels: Record<string, string>; annotations: Record<string, string> }
type AlertTest = { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }
type Panel = { id: number; type: string; title: string; description?: string; targets?: { expr: string }[] }
type Dashboard = { panels: Panel[]; templating: { list: { definition?: string }[] } }

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8')
// The files are ours; promtool checks their shape, and Grafana that of the dashboard.
const { groups } = parseYaml(read(RULES))[0] as unknown as { groups: { rules: Alert[] }[] }
const { tests } = parseYaml(read(RULE_TESTS))[0] as unknown as { tests: AlertTest[] }
const dashboard = JSON.parse(read('deploy/grafana/mailhatch.json')) as Dashboard
const alerts = groups.flatMap(({ rules }) => rules)
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

/** Selectors such as `name{label="value"}`, without the suffixes of histograms. */
function selectorsIn(expression: string) {
  const found = expression.matchAll(/\b((?:mailhatch|nodejs|process)_\w+?)(?:_bucket|_count|_sum)?\b(?:\{([^}]*)\})?/g)
  return Array.from(found, ([, name, matchers = '']) => ({
    name: name!,
    labels: Array.from(matchers.matchAll(/(\w+)=~?"([^"]*)"/g), ([, label, value]) => ({
      label: label!,
      values: value!.split('|'),
    })),
  }))
}

const LABELS_OF_TARGETS = ['job', 'instance']
const REASONS = Object.keys(replies).map((name) => name.toLowerCase())

/** Metrics, labels and values of labels that no server has. */
async function unknownIn(expression: string): Promise<string[]> {
  const known = new Set((await createMeters('both').text()).matchAll(/^# TYPE (\w+) /gm).map(([, name]) => name!))
  return selectorsIn(expression).flatMap(({ name, labels }) => {
    const declared: MetricDeclaration | undefined = METRICS[name as keyof typeof METRICS]
    if (!declared) return known.has(name) ? [] : [name]
    return labels.flatMap(({ label, values }) => {
      if (LABELS_OF_TARGETS.includes(label)) return []
      const given = label === 'reason' ? REASONS : declared.labels?.[label]
      if (given === undefined) return [`${name}{${label}}`]
      // Statuses and routes are not listed.
      if (typeof given === 'string') return []
      return values.filter((value) => !given.includes(value)).map((value) => `${name}{${label}="${value}"}`)
    })
  })
}

test('every alert fires in a test of promtool, and not on a healthy server', async () => {
  expect(alerts.length).toBeGreaterThan(10)
  const tried = tests.flatMap((one) => one.alert_rule_test)
  const of = (isFiring: boolean) =>
    new Set(tried.filter(({ exp_alerts: expected }) => expected.length > 0 === isFiring).map((one) => one.alertname))
  const names = new Set(alerts.map(({ alert }) => alert))
  expect(of(true)).toEqual(names)
  expect(of(false)).toEqual(names)
  const { code, output } = await promtool(['test', 'rules', join(REPOSITORY, RULE_TESTS)])
  expect(output).toContain('SUCCESS')
  expect(code).toBe(0)
})

test('control: the tests of the alerts fail for each alert that does not fire', async () => {
  const folder = temporaryFolder()
  const rules = alerts.map((alert) => ({ ...alert, expr: 'vector(1) == 0' }))
  // JSON is YAML.
  writeFileSync(join(folder, 'alerts.yaml'), JSON.stringify({ groups: [{ name: 'silent', rules }] }))
  writeFileSync(join(folder, 'alerts.test.yaml'), read(RULE_TESTS))
  const { code, output } = await promtool(['test', 'rules', join(folder, 'alerts.test.yaml')])
  expect(code).toBe(1)
  for (const { alert } of alerts) expect(output).toContain(`alertname: ${alert}, `)
})

test('every alert has a summary, a description, a severity, and a section of the page that says what to do', () => {
  const anchors = anchorsOf(read(PAGE))
  for (const { alert, labels, annotations } of alerts) {
    expect(['critical', 'warning'], alert).toContain(labels['severity'])
    const { summary, description, runbook_url: runbook } = annotations
    expect(
      [summary, description].every((text) => text !== undefined && text.length > 20),
      alert,
    ).toBe(true)
    expect(runbook).toBe(`${PAGE_URL}#${alert.toLowerCase()}`)
    expect(anchors).toContain(alert.toLowerCase())
  }
})

test('alerts and dashboard use only metrics, labels and values that exist', async () => {
  const variables = dashboard.templating.list.map(({ definition = '' }) => definition)
  for (const expression of [...alerts.map(({ expr }) => expr), ...expressions, ...variables]) {
    expect(await unknownIn(expression), expression).toEqual([])
  }
  expect(await unknownIn('rate(mailhatch_mails_total[5m])')).toEqual(['mailhatch_mails_total'])
  expect(await unknownIn('nodejs_lag{a="b"} + nodejs_eventloop_lag_p99_seconds')).toEqual(['nodejs_lag'])
  const wrong =
    'mailhatch_announcements_total{outcome=~"stored|lost",team="a"} or mailhatch_smtp_refusals_total{reason="no"}'
  expect(await unknownIn(wrong)).toEqual([
    'mailhatch_announcements_total{outcome="lost"}',
    'mailhatch_announcements_total{team}',
    'mailhatch_smtp_refusals_total{reason="no"}',
  ])
})

test('the dashboard shows every metric of our own, in expressions that Prometheus understands', async () => {
  const shown = new Set(expressions.flatMap(selectorsIn).map(({ name }) => name))
  expect(Object.keys(METRICS).filter((name) => !shown.has(name))).toEqual([])
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  const charts = dashboard.panels.filter(({ type }) => type !== 'row')
  expect(charts.filter(({ title, description }) => !title || !description)).toEqual([])
  const rules = expressions.map((expr, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m'),
  }))
  const file = join(temporaryFolder(), 'panels.json')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
  expect(await promtool(['check', 'rules', file])).toMatchObject({ code: 0 })
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: [{ record: 'a', expr: 'rate(b[5m]' }] }] }))
  expect(await promtool(['check', 'rules', file])).toMatchObject({ code: 1 })
})
