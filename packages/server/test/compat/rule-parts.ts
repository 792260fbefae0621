import { readFileSync } from 'node:fs'
import type { ComparedAnswer } from './comparison.ts'
import type { Difference, NamedTest } from './differences.ts'

/** What the rules of several peers have in common. */

export const OUR_VERSION = // What every package has.
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version

export const isText = (value: unknown): value is string => typeof value === 'string'

/** Both refuse. Whether with the same status is compared by itself. */
export const areErrors = ({ answers }: Difference): boolean =>
  [answers.peer, answers.ours].every(({ status }) => status === 0 || status >= 400)

/** Both are times at which the mails of the run came. Ours is written as our API writes times. */
export function areArrivals({ peer, ours, runs }: Pick<Difference, 'peer' | 'ours' | 'runs'>): boolean {
  const isWithin = (value: unknown, { began, ended }: { began: number; ended: number }) => {
    const time = Date.parse(String(value))
    return time >= began && time <= ended
  }
  return isWithin(peer, runs.peer) && isWithin(ours, runs.ours) && /T[\d:]{8}\.\d{3}Z$/.test(String(ours))
}

/** All values under a name, anywhere in the body of an answer. */
export function valuesNamed(name: string, body: unknown): unknown[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([one, value]) => (one === name ? [value] : valuesNamed(name, value)))
}

/** Two pages show the same text, links and number of images. Scripts, styles and the title are not compared. */
export function areSamePages({ peer, ours }: Pick<Difference, 'peer' | 'ours'>): boolean {
  return isText(peer) && isText(ours) && shownOn(peer) === shownOn(ours)
}

function shownOn(page: string): string {
  return page
    .replaceAll(/<(title|style|script)\b[^>]*>.*?<\/\1>/gis, '')
    .replaceAll(/<a\b[^>]*?\bhref="([^"]*)"[^>]*>/gi, ' link to $1 ')
    .replaceAll(/<img\b[^>]*>/gi, ' image ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

export const answered = (body: unknown): ComparedAnswer => ({ status: 200, body })

/** A test of this folder. */
export const shownIn = (name: string, test: string): NamedTest => ({ file: `test/compat/${name}.test.ts`, test })
