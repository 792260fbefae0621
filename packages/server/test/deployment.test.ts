import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS, type Program } from '../src/settings.ts'

const DEPLOY = join(import.meta.dirname, '../../../deploy')

/** Of the programs beside ours: the database and the storage of the compose file. */
const OF_OTHERS = ['POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD', 'ROOT_ACCESS_KEY', 'ROOT_SECRET_KEY']
const OURS: string[] = Object.values(SETTINGS).map(({ variable }) => variable)

const files = readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.ya?ml$|^\.env\.example$|Dockerfile$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(DEPLOY, name), 'utf8') }))

/** Keys of maps, items of lists of names, lines of an environment file, and what an image or an address refers to. */
function variablesIn(text: string): string[] {
  const named = text.matchAll(/^\s*(?:- name: |-? ?\{ name: )?([A-Z][A-Z0-9_]{2,})(?=: |=|\s*\}?\s*$)/gm)
  const referred = text.matchAll(/\$\{([A-Z][A-Z0-9_]+)/g)
  const inImage = text.matchAll(/^ENV (.*)$/gm).flatMap(([, pairs]) => pairs!.matchAll(/([A-Z][A-Z0-9_]+)=/g))
  return [...named, ...referred, ...inImage].map(([, name]) => name!)
}

function unknownIn(text: string): string[] {
  return variablesIn(text).filter((name) => !OURS.includes(name) && !OF_OTHERS.includes(name))
}

test('the recipe names only settings that there are', () => {
  expect(files.map(({ name }) => name).sort()).toEqual([
    '.env.example',
    'Dockerfile',
    'compose.yaml',
    'kubernetes/api.yaml',
    'kubernetes/migrate.yaml',
    'kubernetes/settings.yaml',
    'kubernetes/worker.yaml',
  ])
  for (const { name, text } of files) expect({ name, unknown: unknownIn(text) }).toEqual({ name, unknown: [] })
  // The check sees names wherever they stand, and can fail:
  expect(new Set(files.flatMap(({ text }) => variablesIn(text))).size).toBeGreaterThan(15)
  const wrong =
    'data:\n  DATA_URL: x\nenv:\n  - name: S3_KEY\n  - { name: HOSTS }\nurl: ${APP_ADDRESS:?}\nENV HOST=a DIR=b'
  expect(unknownIn(wrong)).toEqual(['DATA_URL', 'S3_KEY', 'HOSTS', 'APP_ADDRESS', 'DIR'])
})

test('each program is given what it needs, and only what it reads', () => {
  const [config, api, worker] = textOf('kubernetes/settings.yaml').split('---').map(variablesIn)
  const read = (program: Program): string[] =>
    Object.values(SETTINGS)
      .filter(({ parts }) => parts.some((part) => part === program))
      .map(({ variable }) => variable)
  expect(api!.filter((name) => !read('api').includes(name))).toEqual([])
  expect(worker!.filter((name) => !read('worker').includes(name))).toEqual([])
  expect([...config!, ...api!]).toEqual(
    expect.arrayContaining(['DATABASE_URL', 'INBOX_STORAGE', 'INBOX_WEBHOOK_SECRET', 'SECRET_KEY']),
  )
  expect([...config!, ...worker!]).toEqual(
    expect.arrayContaining(['WEBHOOK_URL', 'WEBHOOK_AUTH_TOKEN', 'EMAIL_DOMAIN']),
  )
})

test('a replica that stops has the time it needs', () => {
  const seconds = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, given]) => Number(given))
  const drained = Number(
    /STOP_MS_MAX = (\d+)_000/.exec(readFileSync(join(DEPLOY, '../packages/server/src/cli/serve.ts'), 'utf8'))![1],
  )
  expect(drained).toBeGreaterThan(0)
  for (const name of ['kubernetes/api.yaml', 'kubernetes/worker.yaml']) {
    const [pause] = seconds(textOf(name), /command: \[sleep, '(\d+)'\]/g)
    const [given] = seconds(textOf(name), /terminationGracePeriodSeconds: (\d+)/g)
    expect(given!).toBeGreaterThan(pause! + drained)
  }
  expect(seconds(textOf('compose.yaml'), /stop_grace_period: (\d+)s/g)[0]).toBeGreaterThan(drained)
})

function textOf(name: string): string {
  return files.find((file) => file.name === name)!.text
}
