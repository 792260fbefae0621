import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { createSqlStore } from '../store/sql-store.ts'
import { openSqliteDatabase } from '../store/sqlite-database.ts'
import { addTeam, newId } from '../store/store-contract.ts'
import { createEndpoint, removeEndpoint, rotateEndpointSecret } from './endpoints.ts'
import { createEncryption } from './encryption.ts'

const DAY_MS = 86_400_000

async function start() {
  const store = createSqlStore(openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db')), {
    onError(error) {
      throw error
    },
  })
  onTestFinished(() => store.close())
  const { id: teamId } = await addTeam(store)
  const clock = { now: Date.now() }
  const encryption = createEncryption('k'.repeat(43))
  const ports = {
    store,
    encryption,
    allowedHosts: new Set<string>(),
    attempt: () => Promise.reject(new Error('nothing is sent here')),
    wakeSender() {},
    rootDomain: 'in.test',
    newId,
    now: () => clock.now,
  }
  const wish = { url: 'https://shop.example/hook', description: null, mailbox: null, tag: null }
  const { endpoint, secret } = await createEndpoint(ports, { id: teamId, plan: 'enterprise' }, wish)
  return { store, clock, encryption, ports, where: { teamId, id: endpoint.id }, secret }
}

test('secrets replaced in quick succession sign for a day each', async () => {
  const { store, clock, encryption, ports, where, secret } = await start()
  const given = [secret]
  const rotate = async () => given.push(await rotateEndpointSecret(ports, where))
  const signing = async () => {
    const { oldSecrets, secret: present } = (await store.findEndpoint(where))!
    const lasting = oldSecrets.filter(({ until }) => until > clock.now).map((old) => old.secret)
    return [...lasting, present].map(encryption.decrypt)
  }
  await Promise.all([rotate(), rotate(), rotate()])
  expect((await signing()).sort()).toEqual(given.toSorted())
  clock.now += DAY_MS / 2
  await rotate()
  await rotate()
  expect(await signing()).toEqual(expect.arrayContaining(given))
  await expect(rotate()).rejects.toMatchObject({ code: 'rate_limited', headers: { 'retry-after': '43200' } })
  clock.now += DAY_MS / 2
  expect(await signing()).toHaveLength(3)
  await rotate()
  expect(await signing()).toHaveLength(4)
})

test('deleting an endpoint does not wait for all its deliveries; the sweep deletes the rest', async () => {
  const { store, ports, where } = await start()
  let steps = 0
  const removing = {
    ...store,
    // As if each step were one of many.
    async emptySomeOfEndpoint() {
      return ++steps < 1_000
    },
  }
  await removeEndpoint({ ...ports, store: removing }, where)
  expect(steps).toBeLessThan(10)
  expect(await store.findEndpoint(where)).toBeNull()
  expect(await store.removedEndpoints(where.teamId)).toEqual([where.id])
})
