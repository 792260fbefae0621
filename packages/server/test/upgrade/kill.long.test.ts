import { afterAll, beforeAll, expect, test } from 'vitest'
import { administer } from '../support/postgres.ts'
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts'
import { killUpgrades } from './killed-upgrade.ts'

let server: PostgresServer
let made = 0
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

async function create(template: string): Promise<string> {
  const name = `killed_${++made}`
  await administer(server.url(), `create database ${name} template ${template}`)
  return server.url(name)
}

test('an upgrade that is killed before any of its statements continues', async () => {
  const databases = {
    empty: () => create('template1'),
    copy: (url: string) => create(new URL(url).pathname.slice(1)),
  }
  const kills = await killUpgrades(databases, { first: 1, every: 1 })
  console.log(`killed before each of ${kills} statements`)
  expect(kills).toBeGreaterThan(150)
})
