// Prints the notes of a release: the section of CHANGELOG.md for the version that the packages have.
//
//   node scripts/release-notes.ts v0.1.0     for a tag: fails unless all versions equal it and the section has a date
//   node scripts/release-notes.ts            for a trial: the date may be missing
import { readFileSync } from 'node:fs'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** Where the version is written: a file, and what in it. All must agree, because they are published together. */
const VERSIONS = {
  'packages/server/package.json': /"version": "([^"]+)"/,
  'packages/server/package.json dependency': /"@mailhatch\/sdk": "([^"]+)"/,
  'packages/sdk/package.json': /"version": "([^"]+)"/,
  'packages/dashboard/package.json': /"version": "([^"]+)"/,
  'deploy/helm/mailhatch/Chart.yaml': /^version: (\S+)$/m,
  'deploy/helm/mailhatch/Chart.yaml appVersion': /^appVersion: (\S+)$/m,
  'action/setup/action.yml': /^ {2}version:\n(?: {4}.*\n)*? {4}default: (\S+)$/m,
}

/** The text below the heading of a version, and its date: null while it is unreleased. */
export function sectionOf(changelog: string, version: string): { date: string | null; notes: string } | null {
  for (const section of changelog.split(/^## /m).slice(1)) {
    const [, found, note] = /^(\S+) \((.+)\)$/m.exec(section.slice(0, section.indexOf('\n'))) ?? []
    if (found !== version) continue
    const date = /^\d{4}-\d{2}-\d{2}$/.test(note!) ? note! : null
    return { date, notes: section.slice(section.indexOf('\n')).trim() }
  }
  return null
}

/** What is wrong with a release, in sentences. Without a tag, only what a trial would find. */
export function problemsOf(versions: Record<string, string>, changelog: string, tag: string | null): string[] {
  const [version] = Object.values(versions)
  const expected = tag === null ? version! : tag.replace(/^v/, '')
  const problems = Object.entries(versions)
    .filter(([, found]) => found !== expected)
    .map(([place, found]) => `${place} has version ${found}, not ${expected}.`)
  const section = sectionOf(changelog, expected)
  if (section === null) problems.push(`CHANGELOG.md has no section for ${expected}.`)
  else if (section.notes === '') problems.push(`The section of CHANGELOG.md for ${expected} is empty.`)
  else if (tag !== null && section.date === null)
    problems.push(`The heading of ${expected} in CHANGELOG.md has no date.`)
  return problems
}

if (import.meta.main) {
  const changelog = read('CHANGELOG.md')
  const versions = Object.fromEntries(
    Object.entries(VERSIONS).map(([place, pattern]) => [
      place,
      pattern.exec(read(place.split(' ')[0]!))?.[1] ?? 'none',
    ]),
  )
  const tag = process.argv[2] || null
  const problems = problemsOf(versions, changelog, tag)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
  console.log(sectionOf(changelog, tag?.replace(/^v/, '') ?? Object.values(versions)[0]!)!.notes)
}
