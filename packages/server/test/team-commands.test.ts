import { expect, test } from 'vitest'
import { announcement, post } from './support/announce.ts'
import { ask } from './support/ask.ts'
import { startFileServer } from './support/file-server.ts'
import { runToExit } from './support/in-process.ts'
import { withDatabase } from './support/journey-database.ts'
import { sentenceOf } from './support/program.ts'

const server = await startFileServer()
type Printed = { id: string; plan: string; retentionDays: number | null }
const change = (...words: string[]) => server.command<Printed>('teams', ...words)
const refused = async (...words: string[]) =>
  sentenceOf(await runToExit(['teams', ...words], await withDatabase({ DATA_DIR: server.dataDir })))

test('teams plan and teams retention change a team while the server runs', async () => {
  const { name } = (await server.me()).team
  expect(await change('retention', name, '30')).toMatchObject({ plan: 'enterprise', retentionDays: 30 })
  expect((await server.me()).team).toMatchObject({ plan: 'enterprise', retentionDays: 30 })
  expect(await change('plan', name, 'pro')).toMatchObject({ plan: 'pro', retentionDays: null })
  expect((await server.me()).team).toMatchObject({ plan: 'pro', retentionDays: 90 })
  expect(await refused('retention', name, '30')).toContain('Only enterprise teams can set their own retention')
  await change('plan', name, 'enterprise')
  expect(await change('retention', name, 'none')).toMatchObject({ retentionDays: null })
  expect(await change('list')).toMatchObject([{ name, plan: 'enterprise' }])
})

test('an unknown plan or team or an invalid number of days is refused', async () => {
  const { name } = (await server.me()).team
  expect(await refused('plan', name, 'gold')).toContain('Allowed choices are starter, pro, enterprise.')
  expect(await refused('retention', name, '0')).toContain('1 to 36500 days')
  expect(await refused('retention', name, 'soon')).toContain('a number of days, or none')
  expect(await refused('plan', 'Nobody', 'pro')).toContain('There is no team Nobody.')
})

test('teams delete ends access at once and deletes the mail of the team, and only of that team', async () => {
  await change('create', 'Retired', '--domain', 'retired.test', '--plan', 'enterprise')
  const { key } = await server.command<{ key: string }>('keys', 'create', '--team', 'Retired')
  const mail = await server.store({ domain: 'retired.test', mailbox: 'qa' })
  const kept = await server.store({ domain: 'mailhatch.test', mailbox: 'qa' })
  const read = (id: string, own: string) => ask(`${server.url}/v1/messages/${id}`, { key: own })
  expect((await read(mail.id, key)).status).toBe(200)

  expect(await change('delete', 'Retired', '--yes')).toMatchObject({ name: 'Retired', members: 0, keys: 1 })
  expect((await read(mail.id, key)).status).toBe(401)
  expect((await read(kept.id, server.apiKey)).status).toBe(200)
  expect((await post(server.url, announcement({ domain: 'retired.test' }))).body.code).toBe('inbox_domain_unknown')
  expect((await change('list')) as unknown).toHaveLength(1)
  expect(await refused('delete', 'Retired', '--yes')).toContain('There is no team Retired.')
  const { name } = (await server.me()).team
  expect(await refused('delete', name, '--yes')).toContain('cannot be deleted')
})
