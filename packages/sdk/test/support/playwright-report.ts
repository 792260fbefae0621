import { runExample } from './examples.ts'

export type PlaywrightResult = {
  file: string
  title: string
  status: string
  parallelIndex: number
  errors: { message: string; location?: { file: string; line: number } }[]
  steps?: { title: string }[]
  attachments: { name: string; contentType: string; body?: string }[]
}

export type PlaywrightReport = { results: PlaywrightResult[]; resultOf: (file: string) => PlaywrightResult }

/** The part of Playwright's report that the tests use. */
type Suite = {
  suites?: Suite[]
  specs: { file: string; title: string; tests: { results: Omit<PlaywrightResult, 'file' | 'title'>[] }[] }[]
}

/** Runs the Playwright tests in the folder, except those whose title matches `without`, and reads Playwright's report. */
export async function playwrightReport(
  folder: string,
  { chromium, reporters = [], without }: { chromium: string; reporters?: string[]; without?: RegExp },
): Promise<PlaywrightReport> {
  const command = ['playwright', 'test', `--reporter=${['json', ...reporters].join(',')}`]
  if (without) command.push('--grep-invert', without.source)
  const { stdout, stderr } = await runExample(folder, command, { CHROMIUM_PATH: chromium })
  if (!stdout.startsWith('{')) throw new Error(`Playwright wrote no report: ${stdout}${stderr}`)
  // Playwright's format.
  const { suites } = JSON.parse(stdout) as { suites: Suite[] }
  const results = suites.flatMap(resultsIn)
  return { results, resultOf: (file) => results.find((result) => result.file === file)! }
}

function resultsIn({ suites = [], specs }: Suite): PlaywrightResult[] {
  const own = specs.flatMap(({ file, title, tests }) =>
    tests.flatMap(({ results }) => results.map((result) => ({ ...result, file, title }))),
  )
  return [...own, ...suites.flatMap(resultsIn)]
}
