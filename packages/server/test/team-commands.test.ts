import { expect, test } from 'vitest'
import { startFileServer } from './support/file-server.ts'
import { run, sentenceOf } from './support/program.ts'

const server = await startFileServer()
type Printed = { id: string; plan: string; retentionDays: number | null }
const change = (...words: string[]) => server.command<Printed>('teams', ...words)
const refused = async (...words: string[]) => sentenceOf(await run(['teams', ...words], { DATA_DIR: server.dataDir }))

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
  expect(await refused('plan', name, 'gold')).toContain('Unknown plan. Choose one of starter, pro, enterprise.')
  expect(await refused('retention', name, '0')).toContain('1 to 36500 days')
  expect(await refused('retention', name, 'soon')).toContain('a number of days, or none')
  expect(await refused('plan', 'Nobody', 'pro')).toContain('There is no team Nobody.')
})
